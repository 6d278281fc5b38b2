package io.adaptivespark.formats.random

import io.adaptivespark.formats.DeltaSuite

/** Delta Lake's scan gives deleted rows, too, with a mark by which its own condition drops them. */
class DeltaTreesSuite extends FormatTrees with DeltaSuite {
  override protected def staticConf: Map[String, String] =
    super.staticConf + ("spark.sql.parquet.columnarReaderBatchSize" -> "128")

  override protected def create(table: String): String =
    s"CREATE TABLE $table USING delta TBLPROPERTIES ('delta.enableDeletionVectors' = 'true')"
}
