package io.adaptivespark.join.scan

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.execution.adaptivespark.{CountingParquet, RetryingOrc, RetryingParquet}
import org.apache.spark.sql.execution.datasources.FileFormat
import org.apache.spark.sql.execution.datasources.orc.OrcFileFormat
import org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat
import org.apache.spark.sql.types.DecimalType

/** The file format of a scan that keys filter.
  *
  * It reads a file without the keys where the file's column can't be compared with them.
  */
private[adaptivespark] object RetryingFileFormat {

  /** @param conditions
    *   the conditions that the keys add
    * @param counts
    *   metrics of row groups, where these are counted
    */
  def apply(format: FileFormat, conditions: Seq[Expression], counts: Option[RowGroupCounts]): FileFormat =
    counts match {
      case Some(of) if isParquet(format) => new CountingParquet(of.all, of.read, of.bytesRead)
      case _ if isParquet(format) && conditions.exists(hasDecimals) => new RetryingParquet
      case _ if conditions.nonEmpty && format.getClass == classOf[OrcFileFormat] => new RetryingOrc
      case _ => format
    }

  /** Spark's own: subclasses may do anything. */
  def isParquet(format: FileFormat): Boolean = format.getClass == classOf[ParquetFileFormat]

  private def hasDecimals(condition: Expression): Boolean =
    condition.references.exists(_.dataType.isInstanceOf[DecimalType])
}
