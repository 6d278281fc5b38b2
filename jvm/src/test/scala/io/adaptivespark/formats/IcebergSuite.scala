package io.adaptivespark.formats

import java.nio.file.Files

/** A session with Iceberg, whose tables are in a catalog of files. */
trait IcebergSuite extends FormatSuite {
  override protected def extension: String =
    "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions"

  override protected def formatConf: Map[String, String] = Map(
    s"spark.sql.catalog.$catalog" -> "org.apache.iceberg.spark.SparkCatalog",
    s"spark.sql.catalog.$catalog.type" -> "hadoop",
    s"spark.sql.catalog.$catalog.warehouse" -> Files.createTempDirectory("iceberg").toString
  )

  override protected def catalog: String = "ice"
}

object IcebergSuite {

  /** Properties of a table whose files have row groups of about 1,000 rows. */
  val SmallRowGroups: String =
    Seq("row-group-size-bytes" -> 8192, "page-size-bytes" -> 2048, "row-group-check-min-record-count" -> 100)
      .map { case (name, number) => s"'write.parquet.$name' = '$number'" }.mkString(", ")
}
