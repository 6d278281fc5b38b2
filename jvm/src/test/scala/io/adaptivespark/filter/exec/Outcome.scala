package io.adaptivespark.filter.exec

import org.apache.spark.sql.catalyst.InternalRow

/** What a plan gives: rows in their order, and the error after the last of them if there is one. */
final case class Outcome(rows: Seq[InternalRow], error: Option[Throwable]) {
  def succeeds: Boolean = error.isEmpty

  /** Whether it is the same to whoever runs the query. */
  def sameAs(other: Outcome): Boolean =
    rows == other.rows && error.map(_.getClass) == other.error.map(_.getClass)

  override def toString: String =
    rows.map(_.getLong(0)).mkString("[", " ", "]") + error.fold("")(e => s", then ${e.toString.take(300)}")
}
