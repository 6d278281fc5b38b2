package io.adaptivespark.scan

import scala.concurrent.Future

import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression, Literal}
import org.apache.spark.sql.catalyst.util.MetadataColumnHelper
import org.apache.spark.sql.connector.expressions.filter.Predicate
import org.apache.spark.sql.execution.adaptivespark.RowLevelOperation
import org.apache.spark.sql.execution.datasources.v2.BatchScanExec
import org.apache.spark.sql.types.{DecimalType, TimestampNTZType, TimestampType}

/** A scan of a table of Iceberg's.
  *
  * It takes keys of any column, and plans its files once more with them: Iceberg then skips manifests and files by the
  * values of partitions and by the bounds of columns, and row groups within files, as by conditions that the query
  * itself has.
  */
private[scan] class IcebergScan(override val scan: BatchScanExec) extends V2Scan(scan) {
  private val target = RowLevelOperation.target(scan.table)

  /** By the files that the query's own conditions leave, or by the table's version where there are none. Rows that are
    * deleted count too.
    */
  override def rows: Future[Long] =
    scan.logicalLink.map(_.collectLeaves().map(_.stats.rowCount)) match {
      case Some(Seq(Some(rows))) => Future.successful(rows.toLong)
      case _ => super.rows
    }

  /** None either where Spark leaves out files by itself while it runs. */
  override def files: Option[Long] = if (scan.runtimeFilters.nonEmpty) None else IcebergFiles.count(scan.scan)

  override def filesRead: Option[() => Long] = files.map(read => () => read)

  override def skipping(column: Attribute): Option[Skipping] =
    if (!mayBeNarrowed(column) || !stored(column).exists(IcebergFiles.areSkippedBy(scan.scan, _))) None
    else column.dataType match {
      case TimestampType | TimestampNTZType => Some(Skipping.ByTimesOrMillis)
      case _: DecimalType => Some(Skipping.ByRanges)
      case _ if isPartition(column) || isTransformed(column, "bucket") => Some(Skipping.ByValues)
      case _ => Some(Skipping.ByRanges)
    }

  override def choosesFilesAnew: Boolean = true

  // Each is compared with each file.
  override def ranges(column: Attribute, few: Int, most: Int): Int = math.min(few, most)

  // Bounds of files have U+FFFD in place of each byte that is no UTF-8.
  override def isTold(column: Attribute): Literal => Boolean = {
    val isKept = super.isTold(column)
    literal => isKept(literal) && StoredValues.isAscii(literal)
  }

  /** By partitions alone. Of a column that is bucketed, or cut to months, Spark's own keys skip no bounds. */
  override def givenBySpark: Seq[Expression] = super.givenBySpark.filter(_.references.forall(isPartition))

  /** A change that writes deletes has this kind of scan; one that rewrites files has another. */
  override def isMergeTarget: Boolean = RowLevelOperation.rewrites(scan.table)

  /** A change that rewrites files first looks for those with a match. */
  override def needsMatches: Boolean = isMergeTarget ||
    scan.output.exists(column => column.isMetadataCol && column.name == IcebergScan.File)

  // The name by which the table has the column; none of its metadata columns, the file of a row among them.
  private def stored(column: Attribute): Option[String] =
    target.columns.map(_.name).find(scan.conf.resolver(_, column.name))

  private def isPartition(column: Attribute): Boolean = isTransformed(column, "identity")

  private def isTransformed(column: Attribute, by: String): Boolean =
    target.partitioning.filter(_.name == by).flatMap(_.references).exists(names(_, column))

  override protected def tell(predicates: Seq[Predicate]): Boolean =
    IcebergFiles.narrow(scan.scan, predicates)
}

private object IcebergScan {
  private val File = "_file"
}
