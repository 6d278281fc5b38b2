package org.apache.spark.sql.execution.adaptivespark

import org.apache.hadoop.conf.Configuration
import org.apache.spark.TaskKilledException
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.execution.datasources.{FileFormat, PartitionedFile}
import org.apache.spark.sql.sources.Filter
import org.apache.spark.sql.types.StructType
import org.slf4j.LoggerFactory

/** Reads a file without filters where it can't be opened with them: it may have another type than the table, or fewer
  * bytes for a decimal, and what a filter compares with is not always made to fit.
  */
trait RetryingFormat extends FileFormat {

  override def buildReaderWithPartitionValues(
      session: SparkSession,
      dataSchema: StructType,
      partitionSchema: StructType,
      requiredSchema: StructType,
      filters: Seq[Filter],
      options: Map[String, String],
      hadoopConf: Configuration
  ): PartitionedFile => Iterator[InternalRow] = {
    def reader(filters: Seq[Filter]) = super.buildReaderWithPartitionValues(
      session,
      dataSchema,
      partitionSchema,
      requiredSchema,
      filters,
      options,
      hadoopConf
    )
    val (filtered, whole) = (reader(filters), reader(Nil))
    observed(session, requiredSchema, hadoopConf) { file =>
      try filtered(file)
      catch {
        case killed: TaskKilledException => throw killed
        case error: RuntimeException =>
          RetryingFormat.log.warn(s"The keys of a join skip nothing in ${file.filePath}: $error")
          whole(file)
      }
    }
  }

  /** `reader` with what else is to be done for each file. */
  protected def observed(session: SparkSession, requiredSchema: StructType, hadoopConf: Configuration)(
      reader: PartitionedFile => Iterator[InternalRow]
  ): PartitionedFile => Iterator[InternalRow] = reader
}

private object RetryingFormat {
  private val log = LoggerFactory.getLogger(getClass)
}
