package io.adaptivespark.scan

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression, Literal}
import org.apache.spark.sql.execution.adaptivespark.RetryingFormat
import org.apache.spark.sql.execution.datasources.FileFormat
import org.apache.spark.sql.execution.datasources.orc.OrcFileFormat
import org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.StructType

/** A format of files: what its reader skips, and what it says of a file.
  *
  * An answer that a kind does not give is that of a format whose reader skips nothing.
  */
private[scan] trait FormatKind {
  def format: FileFormat

  /** The form of condition on `column`, which files of `schema` hold, by which it skips data. */
  def skipping(column: Attribute, schema: StructType, conf: SQLConf): Option[Skipping] = None

  /** False where each further range costs more than what it may skip. */
  def takesManyRanges: Boolean = true

  /** True where its reader puts this value in the order that Spark has for it. */
  def isInOrder(literal: Literal): Boolean = true

  /** Conditions that are true of values that it compares otherwise than Spark reads them, on the columns of
    * `conditions`.
    */
  def beyond(conditions: Seq[Expression]): Seq[Expression] = Nil

  /** The number of ranges of all columns together that it may be given. */
  def rangesInAll: Int = Int.MaxValue

  /** What a scan with this many conditions tells its reader. */
  def options(conditions: Int): Map[String, String] = Map.empty

  /** The format that reads a file without `conditions`, which keys add, where its column can't be compared with them.
    *
    * @param counts
    *   metrics of row groups, where these are counted
    */
  def reader(conditions: Seq[Expression], counts: Option[RowGroupCounts]): FileFormat = format

  def countsRowGroups: Boolean = false

  /** Rows of a file by its footer; fails where it has none. */
  def rows(file: Path, conf: Configuration): Long = throw ScanKind.unknownRows
}

private[scan] object FormatKind {
  def of(format: FileFormat): FormatKind = format match {
    case parquet: ParquetFileFormat if isKnown(format, classOf[ParquetFileFormat]) =>
      new ParquetFiles(parquet)
    case delta: ParquetFileFormat if DeltaFiles.isFormat(delta) => new DeltaFiles(delta)
    case orc: OrcFileFormat if isKnown(format, classOf[OrcFileFormat]) => new OrcFiles(orc)
    case _ => new Unknown(format)
  }

  // Another project's subclass may give columns other names and leave out rows.
  private def isKnown(format: FileFormat, sparksOwn: Class[_]): Boolean =
    format.getClass == sparksOwn || format.isInstanceOf[RetryingFormat]

  private class Unknown(override val format: FileFormat) extends FormatKind
}
