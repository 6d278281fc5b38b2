package io.adaptivespark.formats

/** A session with Delta Lake. */
trait DeltaSuite extends FormatSuite {
  override protected def extension: String = "io.delta.sql.DeltaSparkSessionExtension"

  override protected def formatConf: Map[String, String] = Map(
    "spark.sql.catalog.spark_catalog" -> "org.apache.spark.sql.delta.catalog.DeltaCatalog",
    // A checkpoint's usual 50 tasks take longer than all else of a test.
    "spark.databricks.delta.snapshotPartitions" -> "1"
  )

  override protected def catalog: String = "spark_catalog"
}
