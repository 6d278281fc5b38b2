package io.adaptivespark.scan

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.orc.OrcFile
import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression, Literal}
import org.apache.spark.sql.execution.adaptivespark.RetryingOrc
import org.apache.spark.sql.execution.datasources.FileFormat
import org.apache.spark.sql.execution.datasources.orc.OrcFileFormat
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.{BinaryType, StructType, TimestampType}

/** ORC, which skips stripes and groups of rows by lists of values and few ranges. */
private[scan] class OrcFiles(override val format: OrcFileFormat) extends FormatKind {

  override def skipping(column: Attribute, schema: StructType, conf: SQLConf): Option[Skipping] =
    if (!conf.orcFilterPushDown || column.dataType == BinaryType) None
    else Some(if (column.dataType == TimestampType) Skipping.ByTimes else Skipping.ByValues)

  // Statistics have U+FFFD in place of each byte that is no UTF-8, and the order of texts is not that of their bytes
  // from U+E000 on.
  override def isInOrder(literal: Literal): Boolean = StoredValues.isAscii(literal)

  // Subclasses may do anything.
  override def reader(conditions: Seq[Expression], counts: Option[RowGroupCounts]): FileFormat =
    if (conditions.nonEmpty && format.getClass == classOf[OrcFileFormat]) new RetryingOrc else format

  override def rows(file: Path, conf: Configuration): Long = {
    val reader = OrcFile.createReader(file, OrcFile.readerOptions(conf))
    try reader.getNumberOfRows
    finally reader.close()
  }
}
