package io.adaptivespark.join.keys

import scala.jdk.CollectionConverters._

import com.google.common.collect.MapMaker
import org.apache.spark.SparkContext
import org.apache.spark.broadcast.Broadcast

/** A filter on its way to the executors.
  *
  * @param kind
  *   what the filter is
  */
final class SentFilter private (val kind: String, bytes: Broadcast[Array[Byte]]) extends Serializable {
  def value: KeyMembership =
    SentFilter.received.computeIfAbsent(bytes.value, JavaBytes.read[KeyMembership](_))
}

private[adaptivespark] object SentFilter {
  def apply(filter: KeyMembership, context: SparkContext): SentFilter =
    new SentFilter(filter.kind, context.broadcast(JavaBytes.of(filter)))

  // Of this executor, by the very bytes, for as long as it has them.
  private val received = new MapMaker().weakKeys().makeMap[Array[Byte], KeyMembership]()

  /** Filters that this executor has. */
  def count: Int = received.keySet.asScala.size
}
