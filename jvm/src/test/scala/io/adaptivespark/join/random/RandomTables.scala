package io.adaptivespark.join.random

import java.nio.file.Files

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.functions.col

/** The tables of random joins: each size as every kind of scan, all with the same columns in the same order.
  *
  * They have nulls and duplicates, and values that tables of other sizes have too. Row groups, stripes, batches and
  * partitions are small, so that keys skip some of them.
  */
object RandomTables {

  /** Kinds of scan that a dynamic filter can prune in any session. */
  val Scans: Vector[String] = Vector("parquet", "orc", "cached", "partitioned")

  /** Others, for sessions that have Delta Lake or Iceberg. */
  val Delta = "delta"
  val Iceberg = "iceberg"

  /** The relation that a query is made around reads tables of this size, and no other relation does. */
  val Probe = "probe"
  val Large = "large"
  val Small = "small"

  /** Columns of each type that may be a join key. */
  val Columns: Vector[String] = Vector("b", "s", "i", "l", "d", "e", "t", "n", "w", "x", "f", "z", "p")

  /** Columns that aggregates pass on too. */
  val Common: Vector[String] = Vector("i", "l", "w", "t", "p")

  private val Database = "random_joins"
  private val Rows = Seq(Probe -> 800, Large -> 600, Small -> 80)

  def name(size: String, scan: String): String = s"$Database.${size}_$scan"

  private val Named = s"\\b$Database\\.([a-z]+)_(?:${Scans.mkString("|")})\\b".r

  /** `query` over the same tables as `scan`, whichever kinds of scan it has. */
  def over(query: String, scan: String): String = overEach(query)(_ => scan)

  /** `query` over the kind of scan that each table, in their order, has by its size. */
  def overEach(query: String)(scan: String => String): String =
    Named.replaceAllIn(query, found => name(found.group(1), scan(found.group(1))))

  def create(spark: SparkSession, scans: Seq[String]): Unit = {
    val path = Files.createTempDirectory("joins").toString
    spark.sql(s"CREATE DATABASE $Database")
    for (((size, rows), at) <- Rows.zipWithIndex; scan <- scans) write(spark, size, rows, at, scan, path)
  }

  def drop(spark: SparkSession): Unit = {
    spark.catalog.clearCache()
    // not all catalogs drop tables with their database
    spark.sql(s"SHOW TABLES IN $Database").collect()
      .foreach(row => spark.sql(s"DROP TABLE $Database.${row.getAs[String]("tableName")}"))
    spark.sql(s"DROP DATABASE $Database")
  }

  private def write(
      spark: SparkSession,
      size: String,
      rows: Int,
      at: Int,
      scan: String,
      path: String
  ): Unit = {
    val sortedBy = Seq("i", "w", "t")((at + (Scans :+ Delta :+ Iceberg).indexOf(scan)) % 3)
    val rowsOf = spark.range(0, rows.toLong, 1, 1).selectExpr(columns(at * 40): _*)
    val written = rowsOf.sortWithinPartitions(sortedBy).write.options(SmallParts)
      .option("path", s"$path/${size}_$scan")
    val table = name(size, scan)
    scan match {
      case "orc" => written.format("orc").saveAsTable(table)
      case Delta =>
        // several files, which its log has statistics of, and rows that they have and the table hasn't
        written.format("delta").option("maxRecordsPerFile", "100").saveAsTable(table)
        spark.sql(s"DELETE FROM $table WHERE id % 10 = 3")
      case Iceberg =>
        // the same
        val files = rowsOf.repartitionByRange(4, col(sortedBy)).sortWithinPartitions(sortedBy)
        SmallPartsOfIceberg.foldLeft(files.writeTo(table).using("iceberg")) { case (creating, (key, value)) =>
          creating.tableProperty(key, value)
        }.create()
        spark.sql(s"DELETE FROM $table WHERE id % 10 = 3")
      case "partitioned" => written.partitionBy("p").format("parquet").saveAsTable(table)
      case _ => written.format("parquet").saveAsTable(table)
    }
    if (scan == "cached") spark.sql(s"CACHE TABLE $table")
  }

  private val SmallParts = Map(
    "parquet.block.size" -> "4096",
    "parquet.page.size" -> "512",
    "orc.stripe.size" -> "4096",
    "orc.rows.between.memory.checks" -> "100"
  )

  private val SmallPartsOfIceberg = Map(
    "write.parquet.row-group-size-bytes" -> "4096",
    "write.parquet.row-group-check-min-record-count" -> "20",
    "write.distribution-mode" -> "none",
    "write.delete.mode" -> "merge-on-read"
  )

  private def columns(offset: Int): Seq[String] = {
    val v = s"cast(hash(id, $offset) % 150 + $offset as int)"
    Seq(
      "id",
      s"if(id % 11 = 0, null, cast($v % 100 as tinyint)) AS b",
      s"if(id % 13 = 0, null, cast($v as smallint)) AS s",
      s"if(id % 7 = 0, null, $v) AS i",
      s"if(id % 17 = 0, null, cast($v as bigint)) AS l",
      s"if(id % 5 = 0, null, cast($v / 4 as decimal(9, 2))) AS d",
      s"if(id % 19 = 0, null, cast($v as decimal(25, 3))) AS e",
      s"if(id % 3 = 0, null, date_add(DATE '2000-01-01', $v * 10)) AS t",
      s"timestamp_seconds($v * 3600) AS n",
      s"if(id % 23 = 0, null, concat('k', $v)) AS w",
      s"cast(cast($v as string) as binary) AS x",
      s"if(id % 29 = 0, double('NaN'), if($v = 0, -0.0D, cast($v as double))) AS f",
      s"$v % 2 = 0 AS z",
      s"if(id % 31 = 0, null, abs($v) % 12) AS p"
    )
  }
}
