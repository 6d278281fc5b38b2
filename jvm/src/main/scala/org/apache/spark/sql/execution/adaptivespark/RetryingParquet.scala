package org.apache.spark.sql.execution.adaptivespark

import org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat

class RetryingParquet extends ParquetFileFormat with RetryingFormat
