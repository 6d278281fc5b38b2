package io.adaptivespark.history.bound

import org.apache.spark.sql.catalyst.catalog.{CatalogColumnStat, CatalogStatistics}

import io.adaptivespark.history.label.QueryLabels

/** Bytes on the driver's heap, estimated from characters and elements.
  *
  * Spark's `SizeEstimator` would walk all of a filter's objects each time.
  */
private[adaptivespark] object Footprint {

  /** An object of a few fields, with the references to it. */
  val OfObject = 64L

  // both objects of a text without its characters
  private val OfText = 48L
  // a bin of a histogram, with its numbers
  private val OfBin = 48L
  private val LargestOfByte = 0xff

  /** A character is one byte, or two where the text has one that is not Latin-1. */
  def of(text: String): Long = OfText + text.length * (if (text.forall(_ <= LargestOfByte)) 1L else 2L)

  def of(labels: QueryLabels): Long = OfObject + of(labels.user) + of(labels.queryTag) + of(labels.runId)

  def of(statistics: CatalogStatistics): Long = OfObject +
    statistics.colStats.map { case (column, stat) => OfObject + of(column) + ofColumn(stat) }.sum

  private def ofColumn(stat: CatalogColumnStat): Long = 4 * OfObject +
    (stat.min ++ stat.max).map(of).sum + stat.histogram.fold(0L)(_.bins.length * OfBin)
}
