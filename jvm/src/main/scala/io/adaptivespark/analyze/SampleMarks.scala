package io.adaptivespark.analyze

import java.nio.charset.StandardCharsets.UTF_8
import java.util.Locale

import scala.util.Try

import com.google.common.hash.Hashing
import org.apache.spark.sql.catalyst.catalog.{CatalogColumnStat, CatalogTable}

/** Marks of statistics that come from a sample, as properties of their table. Pure.
  *
  * Spark forgets a table's statistics with each write, and keeps its properties. So a mark names the
  * statistics that it was written with, and holds for these alone.
  */
private[adaptivespark] object SampleMarks {
  private val Prefix = "adaptive_spark.sample."
  private val Rows = Prefix + "rows"

  /** Share of the rows that the row count was estimated from; none if they were counted, or the count is
    * not known.
    */
  def ofRows(table: CatalogTable): Option[Double] =
    table.stats.flatMap(_.rowCount).flatMap(rows => share(table, Rows, rows.toString))

  /** Share of the rows that a column's statistics come from; none for all. */
  def ofColumn(table: CatalogTable, column: String, found: CatalogColumnStat): Option[Double] =
    share(table, key(column), fingerprint(found))

  /** The table with marks on its row count and on these columns. A `fraction` of 1 removes the marks.
    *
    * @param estimated
    *   the row count, if it is an estimate
    */
  def put(
      table: CatalogTable,
      fraction: Double,
      estimated: Option[BigInt],
      columns: Map[String, CatalogColumnStat]
  ): CatalogTable = {
    val marks = estimated.map(rows => Rows -> s"$fraction of $rows") ++
      columns.map { case (column, found) => key(column) -> s"$fraction of ${fingerprint(found)}" }
    val others = table.properties -- (columns.keys.map(key).toSeq :+ Rows)
    table.copy(properties = if (fraction < 1) others ++ marks else others)
  }

  private def key(column: String): String = s"${Prefix}column.${column.toLowerCase(Locale.ROOT)}"

  private def share(table: CatalogTable, key: String, of: String): Option[Double] =
    table.properties.get(key).filter(_.endsWith(s" of $of"))
      .flatMap(mark => Try(mark.stripSuffix(s" of $of").toDouble).toOption)

  private def fingerprint(found: CatalogColumnStat): String = {
    val said = Seq(found.distinctCount, found.min, found.max, found.nullCount, found.avgLen, found.maxLen)
    Hashing.murmur3_128().hashString(said.mkString("\u0000"), UTF_8).toString
  }
}
