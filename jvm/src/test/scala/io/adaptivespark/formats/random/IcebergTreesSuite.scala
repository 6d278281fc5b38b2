package io.adaptivespark.formats.random

import io.adaptivespark.formats.IcebergSuite

/** Iceberg's scan has vectors of its own, without the places of deleted rows, and no batches of nested types. */
class IcebergTreesSuite extends FormatTrees with IcebergSuite {
  override protected def columns(all: Seq[String]): Seq[String] = all.filterNot(Set("a", "p", "mp"))

  override protected def create(table: String): String =
    s"""CREATE TABLE $table USING iceberg TBLPROPERTIES (
       |'write.delete.mode' = 'merge-on-read', 'read.parquet.vectorization.batch-size' = '128')""".stripMargin
}
