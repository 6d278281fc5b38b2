package io.adaptivespark.join

import org.apache.parquet.hadoop.example.ExampleParquetWriter

/** Parquet files with a row group for each row, by their size: Parquet has a limit of rows only since 1.16. */
object OneRowGroups {
  def apply(builder: ExampleParquetWriter.Builder): ExampleParquetWriter.Builder =
    builder.withRowGroupSize(1L).withMinRowCountForPageSizeCheck(1).withMaxRowCountForPageSizeCheck(1)
}
