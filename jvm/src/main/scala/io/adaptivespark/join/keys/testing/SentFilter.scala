package io.adaptivespark.join.keys.testing

import com.google.common.collect.MapMaker
import org.apache.spark.SparkContext
import org.apache.spark.broadcast.Broadcast

import io.adaptivespark.join.keys.KeyMembership
import io.adaptivespark.shim.JavaCollections._

/** A test of rows on its way to the executors.
  *
  * @param kind
  *   that of the test, as users are told
  */
final class SentFilter private (val kind: String, bytes: Broadcast[Array[Byte]]) extends Serializable {
  def value: KeyMembership =
    SentFilter.received.computeIfAbsent(bytes.value, JavaBytes.read[KeyMembership](_))
}

private[adaptivespark] object SentFilter {
  def apply(filter: KeyMembership, context: SparkContext): SentFilter =
    new SentFilter(filter.kind, context.broadcast(JavaBytes.of(filter)))

  // The tests that this executor has read, by the very array of their bytes, for as long as it has that.
  private val received = new MapMaker().weakKeys().makeMap[Array[Byte], KeyMembership]()

  /** The number of tests that this executor has. */
  def count: Int = received.keySet.asScala.size
}
