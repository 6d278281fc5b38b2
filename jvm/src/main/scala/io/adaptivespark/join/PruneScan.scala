package io.adaptivespark.join

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.physical.UnknownPartitioning
import org.apache.spark.sql.catalyst.util.CharVarcharUtils
import org.apache.spark.sql.execution.{FileSourceScanExec, SparkPlan}
import org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat
import org.apache.spark.sql.types.CharType
import org.apache.spark.sql.vectorized.ColumnarBatch

/** A scan as keys left it.
  *
  * @param scan
  *   none where no row of it can match
  * @param ranges
  *   that it was given, by filter
  */
final private[join] class PrunedScan(original: SparkPlan, scan: Option[SparkPlan], val ranges: Seq[Int]) {
  def execute(): RDD[InternalRow] = scan.fold(nothing[InternalRow])(_.execute())
  def executeColumnar(): RDD[ColumnarBatch] = scan.fold(nothing[ColumnarBatch])(_.executeColumnar())

  // A join of buckets pairs partitions by number.
  private def nothing[T: scala.reflect.ClassTag]: RDD[T] = original.outputPartitioning match {
    case _: UnknownPartitioning => original.session.sparkContext.emptyRDD[T]
    case known => original.session.sparkContext.parallelize(Seq.empty[T], known.numPartitions)
  }
}

/** Gives a scan the ranges of keys as a predicate that its format can skip data by. */
private[join] object PruneScan {

  /** @param probeKeys
    *   over the output of `scan`; by position as `keys`
    */
  def apply(
      scan: SparkPlan,
      probeKeys: Seq[Expression],
      keys: Seq[Option[ColumnKeys]],
      settings: DynamicFilterSettings
  ): PrunedScan = {
    val predicates = probeKeys.zip(keys).map {
      case (InjectiveCast(column), Some(found)) => Some(rangesOf(column, found, settings.maxRanges))
      case _ => None
    }
    val ranges = predicates.map(_.fold(0)(_.size))
    if (predicates.flatten.exists(_.isEmpty)) new PrunedScan(scan, None, ranges)
    else {
      val pruned = scan match {
        case files: FileSourceScanExec if ranges.sum > 0 => prunedFiles(files, predicates.flatten)
        case other => other
      }
      new PrunedScan(scan, Some(pruned), ranges)
    }
  }

  /** Disjoint conditions on `column` of which one is true of each of its values that is a key. */
  private def rangesOf(column: Attribute, keys: ColumnKeys, most: Int): Seq[Expression] = {
    import keys.keyType.space
    KeyRanges.cut(keys.summary.ranges, most).flatMap { range =>
      InjectiveCast.inverse(keys.keyType.literal(range.low), keys.keyType.literal(range.high), column.dataType)
    }.map {
      case (low, high) if low == high => EqualTo(column, low)
      case (low, high) => And(GreaterThanOrEqual(column, low), LessThanOrEqual(column, high))
    }
  }

  /** Whether the scan of `column` can skip anything by it. */
  def canPrune(column: KeyColumn): Boolean = (column.scan, column.key) match {
    case (files: FileSourceScanExec, InjectiveCast(attribute)) =>
      !files.markedForSingleTaskExecution && (prunesByFormat(files) && !isChar(attribute))
    case _ => false
  }

  private def prunesByFormat(files: FileSourceScanExec): Boolean = files.relation.fileFormat match {
    case _: ParquetFileFormat => files.conf.parquetFilterPushDown
    case _ => false
  }

  // Stored values may be padded with spaces or not.
  private def isChar(column: Attribute): Boolean =
    CharVarcharUtils.getRawType(column.metadata).exists(_.isInstanceOf[CharType])

  private def prunedFiles(scan: FileSourceScanExec, predicates: Seq[Seq[Expression]]): SparkPlan = {
    val partitionColumns = AttributeSet(scan.relation.partitionSchema.flatMap(f => scan.output.find(_.name == f.name)))
    val (ofPartitions, ofData) = predicates.map(anyOf).partition(_.references.subsetOf(partitionColumns))
    JoinShim.withFilters(scan, ofPartitions, ofData, readsDictionaries = predicates.map(_.size).sum <= MostDictionaryReads)
  }

  // Parquet decodes a column's dictionary anew for each comparison with it.
  private val MostDictionaryReads = 4

  /** A tree that is as deep as it must be. */
  private def anyOf(conditions: Seq[Expression]): Expression =
    if (conditions.size == 1) conditions.head
    else {
      val (left, right) = conditions.splitAt(conditions.size / 2)
      Or(anyOf(left), anyOf(right))
    }
}
