package io.adaptivespark.scan

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.parquet.HadoopReadOptions
import org.apache.parquet.hadoop.{ParquetFileReader, ParquetInputFormat}
import org.apache.parquet.hadoop.util.HadoopInputFile
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.execution.adaptivespark.{CountingParquet, RetryingParquet}
import org.apache.spark.sql.execution.datasources.FileFormat
import org.apache.spark.sql.execution.datasources.parquet.{ParquetFileFormat, ParquetUtils}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types._

/** Parquet, which skips row groups and pages by ranges. */
private[scan] class ParquetFiles(override val format: ParquetFileFormat) extends FormatKind {

  // Spark makes no condition of a time without zone, and takes a column's name for that in the file, also where the id
  // in its metadata decides.
  override def skipping(column: Attribute, schema: StructType, conf: SQLConf): Option[Skipping] = {
    def isById = conf.getConf(SQLConf.PARQUET_FIELD_ID_READ_ENABLED) && ParquetUtils.hasFieldIds(schema)
    if (conf.parquetFilterPushDown && column.dataType != TimestampNTZType && !isById) Some(Skipping.ByRanges)
    else None
  }

  /** Conditions that are true of the integers of a file that the type of a column can't hold.
    *
    * Spark reads their lowest bits, and Parquet skips row groups and pages by the whole integers. Files that Spark has
    * written for such a column hold none.
    */
  override def beyond(conditions: Seq[Expression]): Seq[Expression] = {
    def outside(column: Attribute, least: Literal, most: Literal) =
      Seq(LessThan(column, least), GreaterThan(column, most))
    AttributeSet(conditions).toSeq.flatMap(column =>
      column.dataType match {
        case ByteType => outside(column, Literal(Byte.MinValue), Literal(Byte.MaxValue))
        case ShortType => outside(column, Literal(Short.MinValue), Literal(Short.MaxValue))
        case _ => Nil
      }
    )
  }

  override def options(conditions: Int): Map[String, String] =
    if (conditions <= ParquetFiles.MostDictionaryReads) Map.empty
    else Map(ParquetInputFormat.DICTIONARY_FILTERING_ENABLED -> "false")

  override def reader(conditions: Seq[Expression], counts: Option[RowGroupCounts]): FileFormat =
    counts match {
      case Some(of) if isSparksOwn => new CountingParquet(of.all, of.read, of.bytesRead)
      case _ if isSparksOwn && conditions.exists(hasDecimals) => new RetryingParquet
      case _ => format
    }

  private def hasDecimals(condition: Expression): Boolean =
    condition.references.exists(_.dataType.isInstanceOf[DecimalType])

  override def countsRowGroups: Boolean = isSparksOwn

  // Subclasses may do anything.
  private def isSparksOwn: Boolean = format.getClass == classOf[ParquetFileFormat]

  override def rows(file: Path, conf: Configuration): Long = {
    val options = HadoopReadOptions.builder(conf).build()
    val reader = ParquetFileReader.open(HadoopInputFile.fromPath(file, conf), options)
    try reader.getRecordCount
    finally reader.close()
  }
}

private object ParquetFiles {

  // A column's dictionary is decoded anew for each comparison with it.
  private val MostDictionaryReads = 4
}
