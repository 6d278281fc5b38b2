package io.adaptivespark.scan

import scala.util.Try

import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.execution.datasources.{FileFormat, FileIndex}
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
    if (column.dataType.isInstanceOf[DecimalType]) None else super.skipping(column, schema, conf)

  // A query over the log's statistics compares each with each file.
  override def takesManyRanges: Boolean = false
}

private[scan] object DeltaFiles {

  /** By name, since Delta Lake need not be there. */
  def isFormat(format: FileFormat): Boolean = format.getClass.getName == Format

  /** The number of files that an index has at hand, as a query's own conditions or a command of Delta Lake's chose
    * them; none of another index. Their paths, which an index can tell too, would have to be made first.
    */
  def count(files: FileIndex): Option[Long] = Members.get(files.getClass.getName).flatMap { members =>
    def member(of: AnyRef, name: String) = of.getClass.getMethod(name).invoke(of)
    Try(members.foldLeft[AnyRef](files)(member).asInstanceOf[collection.Seq[_]].size.toLong).toOption
  }

  // By index, the members that lead to its files.
  private val Members = Map(
    "org.apache.spark.sql.delta.stats.PreparedDeltaFileIndex" -> Seq("preparedScan", "files"),
    DeltaMerge.Files -> Seq("addFiles")
  )

  private val Format = "org.apache.spark.sql.delta.DeltaParquetFileFormat"
}
