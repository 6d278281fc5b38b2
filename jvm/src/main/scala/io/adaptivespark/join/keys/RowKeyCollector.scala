package io.adaptivespark.join.keys

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.types.DataType

/** Collects several keys of rows.
  *
  * @param keys
  *   bound to the rows
  */
final private[adaptivespark] class RowKeyCollector(keys: Seq[Expression], limits: KeyLimits) {
  private val (collectors, adders) = keys.map { key =>
    val keyType = KeyType.of(key.dataType).get
    val collector = keyType.collector(limits)
    (collector: KeyCollector[_], keyType.adding(key, collector))
  }.unzip
  private val each = adders.toArray

  def add(row: InternalRow): Unit = each.foreach(_(row))

  /** Whether every key is known one by one so far, within the limits. */
  def fits: Boolean = collectors.forall(_.fits)

  /** What the rows hold so far, by key. */
  def summaries: Seq[KeySummary[_]] = collectors.map(_.summary)
}

private[adaptivespark] object RowKeyCollector {

  /** What several parts of a build side hold together, by key. */
  def merged(
      types: Seq[DataType],
      limits: KeyLimits,
      parts: Seq[Seq[KeySummary[_]]]
  ): Seq[KeySummary[_]] = types.indices.map { i =>
    val keyType = KeyType.of(types(i)).get
    val total = keyType.collector(limits)
    parts.foreach(part => total.add(part(i).asInstanceOf[KeySummary[keyType.Key]]))
    total.summary
  }
}
