package io.adaptivespark.join.keys.collecting

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.types.DataType

import io.adaptivespark.join.keys.{KeyCollector, KeyDomain, KeyLimits, KeySummary}

/** Collects several keys of rows, each by itself.
  *
  * @param keys
  *   bound to the rows, of types that have a domain
  */
final private[adaptivespark] class RowKeyCollector(keys: Seq[Expression], limits: KeyLimits) {
  private val collectors = keys.map(key => RowKeyCollector.of(key.dataType, limits))
  private val each = keys.zip(collectors).map { case (key, collector) => collector.adding(key) }.toArray

  def add(row: InternalRow): Unit = each.foreach(_(row))

  /** True while every key is known one by one, within the limits. */
  def fits: Boolean = collectors.forall(_.fits)

  /** The keys of the rows so far, by key. */
  def summaries: Seq[KeySummary[_]] = collectors.map(_.summary)
}

private[adaptivespark] object RowKeyCollector {
  private def of(dataType: DataType, limits: KeyLimits): KeyCollector[_] =
    KeyDomain.of(dataType).get.collector(limits)

  /** The keys of several parts of a build side together, by key.
    *
    * @param parts
    *   by part, then by key
    */
  def merged(
      types: Seq[DataType],
      limits: KeyLimits,
      parts: Seq[Seq[KeySummary[_]]]
  ): Seq[KeySummary[_]] = types.zipWithIndex.map { case (dataType, i) =>
    val total = of(dataType, limits)
    parts.foreach(part => total.add(part(i)))
    total.summary
  }
}
