package io.adaptivespark.join.scan

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.execution.SparkPlan

import io.adaptivespark.join.keys.OrderPreservingCast
import io.adaptivespark.scan.ScanKind

/** A scan whose rows a join key decides on.
  *
  * @param key
  *   over the scan's output, with the values of the join key
  * @param between
  *   the operators between the join and the scan, from the top
  */
final private[adaptivespark] case class ProbeColumn(
    scan: SparkPlan,
    key: Expression,
    between: Seq[SparkPlan]
) {
  def kind: ScanKind = ScanKind.of(scan)

  /** The most bytes that the scan may save by keys. */
  def bytesSaved: Long = key match {
    case OrderPreservingCast(column) => kind.bytesSavedBy(column)
    case _ => kind.bytes
  }
}
