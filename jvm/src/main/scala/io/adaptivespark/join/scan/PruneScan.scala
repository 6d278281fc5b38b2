package io.adaptivespark.join.scan

import scala.util.Try

import org.apache.parquet.hadoop.ParquetInputFormat
import org.apache.spark.sql.catalyst.CatalystTypeConverters
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.util.CharVarcharUtils
import org.apache.spark.sql.execution.{FileSourceScanExec, SparkPlan}
import org.apache.spark.sql.execution.adaptive.TableCacheQueryStageExec
import org.apache.spark.sql.execution.adaptivespark.ActiveSession
import org.apache.spark.sql.execution.columnar.InMemoryTableScanExec
import org.apache.spark.sql.execution.datasources.{CatalogFileIndex, FileIndex}
import org.apache.spark.sql.execution.datasources.orc.OrcFileFormat
import org.apache.spark.sql.execution.datasources.parquet.{ParquetFileFormat, ParquetUtils}
import org.apache.spark.sql.execution.datasources.v2.BatchScanExec
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

import io.adaptivespark.join.keys.{KeyRanges, OrderPreservingCast}
import io.adaptivespark.join.keys.testing.ColumnKeys
import io.adaptivespark.shim.FileScanShim

/** Gives a scan the keys as a predicate that its format can skip data by. A column it can't skip by gets none. */
private[adaptivespark] object PruneScan {
  import ScanPredicates.{ByRanges, ByTimes, ByValues, Skipping}

  // Bytes of files for which one range is worth its comparison: about a page of each column,
  // which has 20,000 rows at most.
  private val BytesOfRange = 256L << 10

  // Parquet decodes a column's dictionary anew for each comparison with it.
  private val MostDictionaryReads = 4

  /** True where the scan of `column` can skip data by it that nothing else skips.
    *
    * @param byBroadcast
    *   true where a broadcast join asks: Spark's own dynamic partition pruning has the keys
    *   of such joins, and of no others
    */
  def canPrune(column: ProbeColumn, byBroadcast: Boolean): Boolean = column.key match {
    case OrderPreservingCast(attribute) =>
      skipping(column.scan, attribute).isDefined && !(byBroadcast && isPruned(column.scan, attribute))
    case _ => false
  }

  private def skipping(scan: SparkPlan, column: Attribute): Option[Skipping] = scan match {
    case files: FileSourceScanExec if !FileScanShim.isOfOneTask(files) && !isChar(column) =>
      if (isPartition(files, column)) Some(ByRanges)
      else files.relation.fileFormat match {
        case _: ParquetFileFormat if files.conf.parquetFilterPushDown && hasStatistics(files, column) =>
          Some(ByRanges)
        case _: OrcFileFormat if files.conf.orcFilterPushDown && column.dataType != BinaryType =>
          Some(if (column.dataType == TimestampType) ByTimes else ByValues)
        case _ => None
      }
    case cached: InMemoryTableScanExec
        if cached.conf.inMemoryPartitionPruning && column.dataType != BinaryType =>
      Some(ByRanges)
    case stage: TableCacheQueryStageExec => skipping(stage.plan, column)
    case source: BatchScanExec if !isChar(column) && V2ScanPruning.takes(source, column) => Some(ByValues)
    case _ => None
  }

  // Spark makes no condition of a time without zone for Parquet, and takes a column's name for that in the file, also
  // where the id in its metadata decides.
  private def hasStatistics(files: FileSourceScanExec, column: Attribute): Boolean =
    column.dataType != TimestampNTZType &&
      !(files.conf.getConf(SQLConf.PARQUET_FIELD_ID_READ_ENABLED) &&
        ParquetUtils.hasFieldIds(files.relation.dataSchema))

  // Stored values may be padded with spaces or not.
  private def isChar(column: Attribute): Boolean =
    CharVarcharUtils.getRawType(column.metadata).exists(_.isInstanceOf[CharType])

  def isPartition(files: FileSourceScanExec, column: Attribute): Boolean = {
    val name = inScan(files, column).name
    files.relation.partitionSchema.exists(_.name == name)
  }

  // The column by the name that the table has: queries may write it in another case.
  private def inScan(scan: SparkPlan, column: Attribute): Attribute =
    scan.output.find(_.exprId == column.exprId).getOrElse(column)

  // True where the reader compares Spark's own values: numbers, and columns in memory.
  private def isAlwaysTold(scan: SparkPlan, column: Attribute): Boolean = scan match {
    case _ if column.dataType.isInstanceOf[NumericType] => true
    case files: FileSourceScanExec => isPartition(files, column)
    case _: BatchScanExec => false
    case _ => true
  }

  /** True where the file reader compares with the values of `condition`.
    *
    * It is told them as objects of Java, in which damaged texts and some old dates are others; and ORC orders texts
    * otherwise than by their bytes from U+E000 on.
    */
  private def isTold(scan: SparkPlan, condition: Expression): Boolean = {
    val isOrc = scan match {
      case files: FileSourceScanExec => files.relation.fileFormat.isInstanceOf[OrcFileFormat]
      case _ => false
    }
    condition.collect { case literal: Literal => literal }.forall { literal =>
      // the first and last dates and times there are overflow on the way
      val told = Try(
        Literal.create(
          CatalystTypeConverters.convertToScala(literal.value, literal.dataType),
          literal.dataType
        )
      )
      val isOutOfOrder = literal.value match {
        case text: UTF8String => isOrc && text.getBytes.exists(byte => (byte & 0xff) >= 0xee)
        case _ => false
      }
      !isOutOfOrder && told.toOption.contains(literal)
    }
  }

  private def isPruned(scan: SparkPlan, column: Attribute): Boolean = {
    val filters = scan match {
      case files: FileSourceScanExec => files.partitionFilters
      case source: BatchScanExec => source.runtimeFilters
      case _ => Nil
    }
    filters.exists {
      case DynamicPruningExpression(child) => child.references.contains(column)
      case _ => false
    }
  }

  /** @param probeKeys
    *   by filter, over the output of `scan`
    * @param counts
    *   metrics of Parquet's row groups, where these are counted
    */
  def apply(
      scan: SparkPlan,
      probeKeys: Seq[Expression],
      keys: Seq[Option[ColumnKeys]],
      maxRanges: Int,
      counts: Option[RowGroupCounts]
  ): PrunedScan = {
    val predicates = probeKeys.zip(keys).map {
      case (OrderPreservingCast(key), Some(found)) =>
        val column = inScan(scan, key)
        skipping(scan, column).map(ScanPredicates(column, found, mostRanges(scan, column, maxRanges), _))
          .filter(isAlwaysTold(scan, column) || _.forall(isTold(scan, _)))
      case _ => None
    }
    val ranges = predicates.map(_.map(_.size))
    if (predicates.flatten.exists(_.isEmpty)) new PrunedScan(scan, None, ranges)
    else new PrunedScan(scan, Some(ActiveSession.of(scan)(pruned(scan, predicates.flatten, counts))), ranges)
  }

  /** The number of ranges that a scan is given: about as many as it may have pages or files to skip, since
    * each is compared with each page.
    */
  private def mostRanges(scan: SparkPlan, column: Attribute, most: Int): Int = scan match {
    case files: FileSourceScanExec if !isPartition(files, column) =>
      val ofSize = math.max(ScanBytes(files) / BytesOfRange, KeyRanges.Few)
      if (ofSize >= most) most
      else math.min(most.toLong, math.max(ofSize, FileScanShim.files(files))).toInt
    case _ => most
  }

  private def pruned(
      scan: SparkPlan,
      predicates: Seq[Seq[Expression]],
      counts: Option[RowGroupCounts]
  ): SparkPlan = scan match {
    case _ if predicates.isEmpty => scan
    case files: FileSourceScanExec =>
      val (partitioned, stored) =
        predicates.partition(_.forall(_.references.forall(isPartition(files, _))))
      val ofPartitions = partitioned.map(anyOf)
      val ofData = stored.map(ranges => anyOf(ranges ++ beyond(files, ranges)))
      val readsDictionaries = predicates.map(_.size).sum <= MostDictionaryReads
      val options =
        if (!readsDictionaries) Some(ParquetInputFormat.DICTIONARY_FILTERING_ENABLED -> "false") else None
      val relation = files.relation.copy(
        location = if (ofPartitions.isEmpty) files.relation.location else listed(files),
        fileFormat = RetryingFileFormat(files.relation.fileFormat, ofData, counts),
        options = files.relation.options ++ options
      )(files.relation.sparkSession)
      FileScanShim.withFilters(files, relation, ofPartitions, ofData)
    case cached: InMemoryTableScanExec => inMemory(cached, predicates.map(anyOf))
    case stage: TableCacheQueryStageExec => pruned(stage.plan, predicates, counts)
    case source: BatchScanExec => V2ScanPruning.withFilters(source, predicates.map(anyOf))
    case other => other
  }

  /** `scan` with further conditions on its batches, counting into the metrics of `scan`. */
  private def inMemory(scan: InMemoryTableScanExec, conditions: Seq[Expression]): SparkPlan =
    new InMemoryTableScanExec(scan.attributes, scan.predicates ++ conditions, scan.relation) {
      override lazy val metrics = scan.metrics
    }

  private def beyond(files: FileSourceScanExec, ranges: Seq[Expression]): Seq[Expression] =
    files.relation.fileFormat match {
      case _: ParquetFileFormat => AttributeSet(ranges).toSeq.flatMap(ScanPredicates.beyond)
      case _ => Nil
    }

  /** All partitions that the scan's own conditions leave, for Spark to compare with the keys: the metastore of a table,
    * if it were asked to, might order texts by another collation, or refuse a key with quotes in it.
    */
  private def listed(files: FileSourceScanExec): FileIndex = files.relation.location match {
    case table: CatalogFileIndex =>
      table.filterPartitions(files.partitionFilters.filterNot(_.exists(_.isInstanceOf[PlanExpression[_]])))
    case other => other
  }

  /** True of a scan whose row groups can be counted. */
  def countsRowGroups(scan: SparkPlan): Boolean = scan match {
    case files: FileSourceScanExec => RetryingFileFormat.isParquet(files.relation.fileFormat)
    case _ => false
  }

  /** The OR of `conditions` as a balanced tree: a chain would be as deep as they are many. */
  private def anyOf(conditions: Seq[Expression]): Expression =
    if (conditions.size == 1) conditions.head
    else {
      val (left, right) = conditions.splitAt(conditions.size / 2)
      Or(anyOf(left), anyOf(right))
    }
}
