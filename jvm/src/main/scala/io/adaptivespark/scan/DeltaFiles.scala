package io.adaptivespark.scan

import scala.util.Try

import org.apache.spark.sql.catalyst.expressions.{Attribute, Literal}
import org.apache.spark.sql.execution.datasources.FileFormat
import org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.{DecimalType, StructType}

/** The Parquet files of Delta Lake.
  *
  * Its index of files takes conditions too, and leaves out the files that its log has other values of. Its reader
  * gives Parquet's reader the names that columns have in files, and leaves out deleted rows by their number in the
  * file, which skipped row groups and pages don't change. `DeltaRowsSuite` has a kind of table for each of these
  * features.
  */
private[scan] class DeltaFiles(override val format: ParquetFileFormat) extends ParquetFiles(format) {

  // Files from before a type was widened may have fewer bytes for a decimal: only Spark's own reader
  // can be made to read a file again without a condition that it can't be opened with.
  override def skipping(column: Attribute, schema: StructType, conf: SQLConf): Option[Skipping] =
    if (column.dataType.isInstanceOf[DecimalType] || isById) None else super.skipping(column, schema, conf)

  // Its reader then finds a column by the id in a file, and compares statistics by its name, which another column may
  // have had there: in a table that was Iceberg's. The schema that it tells Spark has no ids.
  private def isById: Boolean = !Try {
    val mode = format.getClass.getMethod("columnMappingMode").invoke(format)
    mode.getClass.getMethod("name").invoke(mode)
  }.toOption.exists(DeltaFiles.ByName)

  // The log has U+FFFD in place of each byte that is no UTF-8.
  override def isInOrder(literal: Literal): Boolean = StoredValues.isAscii(literal)

  // A query over the log's statistics compares each with each file.
  override def takesManyRanges: Boolean = false

  override def rangesInAll: Int = DeltaFiles.RangesInAll
}

private[scan] object DeltaFiles {

  /** By name, since Delta Lake need not be there. */
  def isFormat(format: FileFormat): Boolean = format.getClass.getName == Format

  /** Delta Lake's query over its log is one method of generated code. With more ranges it grows beyond what Java
    * compiles, and Spark logs an error and interprets it.
    */
  private val RangesInAll = 16

  /** The modes of column mapping in which names are those of files, and none of these is given twice. */
  private val ByName = Set[AnyRef]("none", "name")

  private val Format = "org.apache.spark.sql.delta.DeltaParquetFileFormat"
}
