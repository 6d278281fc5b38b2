package io.adaptivespark.scan

import scala.concurrent.{blocking, ExecutionContext, Future}

import com.google.common.collect.MapMaker
import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression, Literal, PlanExpression}
import org.apache.spark.sql.catalyst.util.MetadataColumnHelper
import org.apache.spark.sql.execution.{FileSourceScanExec, SparkPlan}
import org.apache.spark.sql.execution.datasources.{CatalogFileIndex, FileIndex, PartitioningAwareFileIndex}

import io.adaptivespark.shim.{FileScanShim, StreamShim}

/** A scan of files, which skips partitions by their values, and within files what their format skips. */
private[scan] class FileScan(override val scan: FileSourceScanExec) extends ScanKind {
  import FileScan._
  import scan.relation

  protected def format: FormatKind = FormatKind.of(relation.fileFormat)

  override def table: Option[String] = scan.tableIdentifier.map(_.unquotedString).orElse {
    val paths = relation.location.rootPaths
    paths.headOption.map(first =>
      if (paths.size == 1) first.toString else s"$first and ${paths.size - 1} more"
    )
  }

  override def relativeName: String =
    scan.tableIdentifier.fold(relation.location.rootPaths.map(_.getName).mkString(", "))(_.table)

  override def bytes: Long = sizes.computeIfAbsent(
    relation.location,
    {
      case table: CatalogFileIndex if table.sizeInBytes >= scan.conf.defaultSizeInBytes =>
        ScanKind.atMost(table.filterPartitions(Nil).sizeInBytes)
      case location => ScanKind.atMost(location.sizeInBytes)
    }
  )

  /** The share of the columns that it reads, by the widths that Spark gives to their types; all bytes by a partition,
    * since partitions are skipped whole.
    */
  override def bytesSavedBy(column: Attribute): Long =
    if (isPartition(column)) bytes
    else {
      val share = scan.requiredSchema.defaultSize.toDouble / relation.dataSchema.defaultSize
      (bytes * math.min(1.0, math.max(LeastShare, share))).toLong
    }

  /** The rows that its largest file has by its footer, scaled by bytes to all files; those of Delta Lake by its log.
    *
    * Fails for files that Spark has not listed anyhow.
    */
  override def rows: Future[Long] = relation.location match {
    case _: PartitioningAwareFileIndex =>
      val conf = relation.sparkSession.sessionState.newHadoopConfWithOptions(relation.options)
      val files = listed.filter(_.getLen > 0)
      files.reduceOption((a, b) => if (b.getLen > a.getLen) b else a).fold(Future.successful(0L)) { largest =>
        Future(blocking {
          val rows = format.rows(largest.getPath, conf)
          (rows * (files.map(_.getLen).sum.toDouble / largest.getLen)).round
        })(ExecutionContext.global)
      }
    case index => DeltaIndex.rows(index).getOrElse(super.rows)
  }

  /** None either where Spark leaves out files too, by another join's keys or by what it knows of a file. */
  override def files: Option[Long] =
    if (staticPartitionFilters.size < scan.partitionFilters.size || scan.dataFilters.exists(isOfFiles)) None
    else
      relation.location match {
        case _: PartitioningAwareFileIndex => Some(listed.size.toLong)
        case index => DeltaIndex.count(index)
      }

  private def isOfFiles(condition: Expression): Boolean = condition.references.exists(_.isMetadataCol)

  override def filesRead: Option[() => Long] = scan.metrics.get("numFiles").map(read => () => read.value)

  // Not by the scan's own list, which counts into its metrics.
  private lazy val listed = relation.location.listFiles(staticPartitionFilters, Nil).flatMap(_.files)

  // Subclasses may do anything, and the progress of a stream counts the rows that are read.
  override def isPlain: Boolean = scan.getClass == classOf[FileSourceScanExec] && !StreamShim.isStream(scan)

  override def isReduced: Boolean = scan.partitionFilters.nonEmpty

  override def isMergeTarget: Boolean = DeltaIndex.isOfTarget(relation.location)

  override def skipping(column: Attribute): Option[Skipping] =
    if (FileScanShim.isOfOneTask(scan) || StoredValues.mayBePadded(column)) None
    else if (isPartition(column)) Some(Skipping.ByRanges)
    else format.skipping(column, relation.dataSchema, scan.conf)

  override def givenBySpark: Seq[Expression] = scan.partitionFilters

  override def isTold(column: Attribute): Literal => Boolean =
    if (isPartition(column)) super.isTold(column)
    else literal => format.isInOrder(literal) && StoredValues.isKept(literal)

  override def ranges(column: Attribute, few: Int, most: Int): Int =
    if (isPartition(column)) most
    else if (!format.takesManyRanges) math.min(few, most)
    else {
      val ofSize = math.max(bytes / BytesOfRange, few)
      if (ofSize >= most) most else math.min(most.toLong, math.max(ofSize, FileScanShim.files(scan))).toInt
    }

  override def rangesInAll: Int = format.rangesInAll

  override def choosesFilesAnew: Boolean = DeltaIndex.isOne(relation.location)

  override def countsRowGroups: Boolean = format.countsRowGroups

  override def narrowed(predicates: Seq[Seq[Expression]], counts: Option[RowGroupCounts]): SparkPlan = {
    val (partitioned, stored) = predicates.partition(_.forall(_.references.forall(isPartition)))
    val ofPartitions = partitioned.map(ScanKind.anyOf)
    val ofData = stored.map(each => ScanKind.anyOf(each ++ format.beyond(each)))
    val chosen = if (ofPartitions.isEmpty) relation.location else allPartitions
    val read = relation.copy(
      location = DeltaIndex.narrowed(chosen, ofData, staticPartitionFilters ++ ofPartitions),
      fileFormat = format.reader(ofData, counts),
      options = relation.options ++ format.options(predicates.map(_.size).sum)
    )(relation.sparkSession)
    val filtered = FileScanShim.withFilters(scan, read, ofPartitions, ofData)
    if (choosesFilesAnew) DeltaIndex.chosen(filtered, scan) else filtered
  }

  /** All partitions that the scan's own conditions leave, for Spark to compare with the keys: the metastore of a table,
    * if it were asked to, might order texts by another collation, or refuse a key with quotes in it.
    */
  private def allPartitions: FileIndex = relation.location match {
    case table: CatalogFileIndex => table.filterPartitions(staticPartitionFilters)
    case other => other
  }

  private def staticPartitionFilters: Seq[Expression] =
    scan.partitionFilters.filterNot(_.exists(_.isInstanceOf[PlanExpression[_]]))

  // The column by the name that the table has: queries may write it in another case.
  private def isPartition(column: Attribute): Boolean = {
    val name = scan.output.find(_.exprId == column.exprId).getOrElse(column).name
    relation.partitionSchema.exists(_.name == name)
  }
}

private object FileScan {

  // Bytes of files for which one range is worth its comparison: about a page of each column,
  // which has 20,000 rows at most.
  private val BytesOfRange = 256L << 10

  // A text may be many times as wide as its type says, and others less.
  private val LeastShare = 1.0 / 8

  // The metastore knows no size of a partitioned table that has not been analyzed since it was written,
  // and an index adds up its files whenever it is asked. Compared by identity, since indexes are equal
  // whenever their tables' names are.
  private val sizes = new MapMaker().weakKeys().makeMap[FileIndex, java.lang.Long]()
}
