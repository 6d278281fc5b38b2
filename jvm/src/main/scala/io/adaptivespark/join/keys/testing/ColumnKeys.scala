package io.adaptivespark.join.keys.testing

import org.apache.spark.SparkContext
import org.apache.spark.sql.catalyst.expressions.Literal
import org.apache.spark.sql.types.DataType

import io.adaptivespark.join.keys.KeySummary

/** The keys of one column of a build side on the driver, with the SQL type that their literals have. */
final private[adaptivespark] class ColumnKeys(dataType: DataType, val summary: KeySummary[_]) {

  /** `empty`, `values` or `ranges`. */
  def kind: String =
    if (summary.isEmpty) "empty" else if (summary.values.isDefined) "values" else "ranges"

  /** The number of distinct keys; of rows, where they were too many to tell. */
  def distinct: Long = summary.values.fold(summary.rows)(_.size.toLong)

  /** Ranges that hold all keys, each as its two ends, which belong to it: as many, up to
    * `most`, as are worth comparing with.
    */
  def ranges(most: Int): Seq[(Literal, Literal)] = summary.ranges(most, dataType)

  /** The distinct keys, where they are known and at most `most`. */
  def literals(most: Int): Option[Seq[Literal]] = summary.literals(most, dataType)

  private var sent: Option[Option[SentFilter]] = None

  /** A filter of rows by these keys, if they are known well enough.
    *
    * It is sent to the executors once, however many scans ask for it.
    */
  def filter(context: SparkContext, byBloom: Boolean): Option[SentFilter] =
    if (byBloom || summary.values.isDefined) synchronized {
      if (sent.isEmpty) sent = Some(summary.membership.map(SentFilter(_, context)))
      sent.flatten
    }
    else None

  /** These keys and `others`, of the same type. */
  def or(others: ColumnKeys): ColumnKeys = new ColumnKeys(dataType, summary.or(others.summary))
}
