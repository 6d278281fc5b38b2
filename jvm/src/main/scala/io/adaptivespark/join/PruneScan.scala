package io.adaptivespark.join

import java.math.{BigDecimal, BigInteger}
import java.time.LocalDate

import scala.util.Try

import com.google.common.math.LongMath
import com.google.common.primitives.Ints
import org.apache.spark.sql.catalyst.CatalystTypeConverters
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.util.{CharVarcharUtils, DateTimeConstants}
import org.apache.spark.sql.execution.{FileSourceScanExec, SparkPlan}
import org.apache.spark.sql.execution.adaptive.TableCacheQueryStageExec
import org.apache.spark.sql.execution.columnar.InMemoryTableScanExec
import org.apache.spark.sql.execution.datasources.orc.OrcFileFormat
import org.apache.spark.sql.execution.datasources.parquet.{ParquetFileFormat, ParquetUtils}
import org.apache.spark.sql.execution.datasources.v2.BatchScanExec
import org.apache.spark.sql.execution.metric.SQLMetric
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

/** Row groups that a scan was given, those of them that it read, and what of these. */
final private[join] case class RowGroupCounts(all: SQLMetric, read: SQLMetric, bytesRead: SQLMetric)

/** Gives a scan the keys as a predicate that its format can skip data by. */
private[join] object PruneScan {

  /** How a scan skips data by a column. */
  sealed private trait Skipping

  /** By any number of ranges: the statistics of row groups, pages and cached batches, the values of partitions. */
  private case object ByRanges extends Skipping

  /** By a list of values, one by one, or by few ranges: of more than eight, ORC's reader makes nothing at all. */
  private case object ByValues extends Skipping

  /** By few ranges, to which time is added at both ends: ORC counts in local time, and back over a change of the clock it gives other times. */
  private case object ByTimes extends Skipping
  private val MostValues = 1000
  private val FewRanges = 8

  // In any two places, or on both sides of any change, clocks differ by less.
  private val MostOffset = 2 * DateTimeConstants.MICROS_PER_DAY

  // Before this day two dates of a file that has the calendar of the time may be one date of Spark's.
  private val GregorianDay = LocalDate.of(1582, 10, 15).toEpochDay

  // About a page of each column: one has 20,000 rows at most.
  private val BytesOfRange = 256L << 10

  // where unscaled numbers begin that fit 64 bits, then 32 too, then 64 only again, then neither
  private val FirstBeyond: Seq[BigInteger] = {
    val starts = Seq(31, 63).map(BigInteger.ONE.shiftLeft(_))
    starts.reverse.map(_.negate) ++ starts
  }

  // Parquet decodes a column's dictionary anew for each comparison with it.
  private val MostDictionaryReads = 4

  /** Whether the scan of `column` can skip anything by it that nothing else skips.
    *
    * @param byBroadcast
    *   whether a broadcast join asks: Spark's own dynamic partition pruning has its keys too, and does without those of other joins
    */
  def canPrune(column: KeyColumn, byBroadcast: Boolean): Boolean = column.key match {
    case InjectiveCast(attribute) =>
      skipping(column.scan, attribute).isDefined && !(byBroadcast && isPruned(column.scan, attribute))
    case _ => false
  }

  private def skipping(scan: SparkPlan, column: Attribute): Option[Skipping] = scan match {
    case files: FileSourceScanExec if !files.markedForSingleTaskExecution && !isChar(column) =>
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
    case source: BatchScanExec if !isChar(column) && SourceScan.takes(source, column) => Some(ByValues)
    case _ => None
  }

  // Spark makes no condition of a time without zone for Parquet, and takes a column's name for that in the file, also where the id in its metadata decides.
  private def hasStatistics(files: FileSourceScanExec, column: Attribute): Boolean =
    column.dataType != TimestampNTZType &&
      !(files.conf.getConf(SQLConf.PARQUET_FIELD_ID_READ_ENABLED) &&
        ParquetUtils.hasFieldIds(files.relation.dataSchema))

  // Stored values may be padded with spaces or not.
  private def isChar(column: Attribute): Boolean =
    CharVarcharUtils.getRawType(column.metadata).exists(_.isInstanceOf[CharType])

  private def isPartition(files: FileSourceScanExec, column: Attribute): Boolean = {
    val name = inScan(files, column).name
    files.relation.partitionSchema.exists(_.name == name)
  }

  // As the table has it: queries may write its name in another case.
  private def inScan(scan: SparkPlan, column: Attribute): Attribute =
    scan.output.find(_.exprId == column.exprId).getOrElse(column)

  // What is compared as Spark's own values: numbers, and what is in memory.
  private def isAlwaysTold(scan: SparkPlan, column: Attribute): Boolean = scan match {
    case _ if column.dataType.isInstanceOf[NumericType] => true
    case files: FileSourceScanExec => isPartition(files, column)
    case _: BatchScanExec => false
    case _ => true
  }

  /** Whether what reads the files compares with the same values: it is told them as objects of Java, in which damaged texts and some old dates are others, and ORC
    * has texts in another order than their bytes from U+E000 on.
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
    *   over the output of `scan`; by position as `keys`
    * @param counts
    *   where to count the row groups of Parquet, if they are counted
    */
  def apply(
      scan: SparkPlan,
      probeKeys: Seq[Expression],
      keys: Seq[Option[ColumnKeys]],
      maxRanges: Int,
      counts: Option[RowGroupCounts]
  ): PrunedScan = {
    val predicates = probeKeys.zip(keys).map {
      case (InjectiveCast(key), Some(found)) =>
        val column = inScan(scan, key)
        skipping(scan, column).map(conditions(column, found, mostRanges(scan, column, maxRanges), _))
          .filter(isAlwaysTold(scan, column) || _.forall(isTold(scan, _)))
      case _ => None
    }
    val ranges = predicates.map(_.fold(0)(_.size))
    if (predicates.flatten.exists(_.isEmpty)) new PrunedScan(scan, None, ranges)
    else new PrunedScan(scan, Some(pruned(scan, predicates.flatten, counts)), ranges)
  }

  /** About as many ranges as a scan may have pages or files to skip: each is compared with each page. */
  private def mostRanges(scan: SparkPlan, column: Attribute, most: Int): Int = scan match {
    case files: FileSourceScanExec if !isPartition(files, column) =>
      val ofSize = math.max(ChooseFilters.bytes(files) / BytesOfRange, KeyRanges.Few)
      if (ofSize >= most) most
      else math.min(most.toLong, math.max(ofSize, files.selectedPartitions.totalNumberOfFiles)).toInt
    case _ => most
  }

  /** Conditions on `column` of which one is true of each of its values that is a key. */
  private def conditions(
      column: Attribute,
      keys: ColumnKeys,
      most: Int,
      skipping: Skipping
  ): Seq[Expression] = {
    def ranges(most: Int) = keys.summary.worth(most).flatMap { range =>
      InjectiveCast.inverse(
        keys.keyType.literal(range.low),
        keys.keyType.literal(range.high),
        column.dataType
      )
    }
    def fewRanges = ranges(math.min(most, FewRanges))
    skipping match {
      case ByRanges =>
        val (ints, others) =
          ranges(most).flatMap(withoutOverflow(column.dataType, _)).map(withOldDates).partition(mayBeInt)
        ints.map(between(column, _)) ++ others.map { range =>
          if (ints.isEmpty) between(column, range) else And(beyondInts(column, range), between(column, range))
        }
      case ByTimes => fewRanges.map(range => between(column, withMore(range, MostOffset)))
      case ByValues =>
        val values = keys.summary.values.filter(_.size <= MostValues).toSeq.flatten.flatMap { key =>
          InjectiveCast.inverse(
            keys.keyType.literal(key),
            keys.keyType.literal(key),
            column.dataType
          ).map(_._1)
        }
        if (values.size > 1 && !isTimestamp(column.dataType) && !values.exists(isOld)) Seq(In(column, values))
        else fewRanges.map(range => between(column, withOldDates(range)))
    }
  }

  // Before a day of the old calendar that Spark has no date for, and after it, is one of Spark's.
  private def withOldDates(range: (Literal, Literal)): (Literal, Literal) = {
    val day = if (range._1.dataType == DateType) 1L else DateTimeConstants.MICROS_PER_DAY
    if (isOld(range._1)) withMore(range, day) else range
  }

  private def isOld(literal: Literal): Boolean = literal.value match {
    case day: Int if literal.dataType == DateType => day < GregorianDay
    case micros: Long if literal.dataType == TimestampType =>
      micros < GregorianDay * DateTimeConstants.MICROS_PER_DAY
    case _ => false
  }

  /** A range of dates or times that begins so much earlier and ends so much later. */
  private def withMore(range: (Literal, Literal), more: Long): (Literal, Literal) = {
    def moved(literal: Literal, by: Long) = (literal.value: @unchecked) match {
      case day: Int => Literal(Ints.saturatedCast(day + by), literal.dataType)
      case micros: Long => Literal(LongMath.saturatedAdd(micros, by), literal.dataType)
    }
    (moved(range._1, -more), moved(range._2, more))
  }

  /** Files of a BIGINT column may have INTs, and of an OR of which one side can't be an INT Spark makes no condition for them; it takes this instead of the range. */
  private def beyondInts(column: Attribute, range: (Literal, Literal)): Expression =
    if (range._1.value.asInstanceOf[Long] > 0) GreaterThanOrEqual(column, Literal(Int.MaxValue.toLong))
    else LessThanOrEqual(column, Literal(Int.MinValue.toLong))

  private def mayBeInt(range: (Literal, Literal)): Boolean = range match {
    case (Literal(low: Long, LongType), Literal(high: Long, _)) => low <= Int.MaxValue && high >= Int.MinValue
    case _ => true
  }

  /** Of decimals, files may have fewer digits than the table, as INT32 or INT64, and Parquet's reader is told what is left of a number in so many bits: no range
    * may have one end that fits and one that doesn't. What fits nowhere in a file leaves no more than is there.
    */
  private def withoutOverflow(dataType: DataType, range: (Literal, Literal)): Seq[(Literal, Literal)] =
    dataType match {
      case decimal: DecimalType =>
        def unscaled(literal: Literal) =
          literal.value.asInstanceOf[Decimal].toJavaBigDecimal.setScale(decimal.scale).unscaledValue
        def literal(unscaled: BigInteger) =
          Literal(Decimal(new BigDecimal(unscaled, decimal.scale), decimal.precision, decimal.scale), decimal)
        val (low, high) = (unscaled(range._1), unscaled(range._2))
        val starts = FirstBeyond.filter(each => low.compareTo(each) < 0 && each.compareTo(high) <= 0)
        (low +: starts).zip(starts.map(_.subtract(BigInteger.ONE)) :+ high)
          .map { case (from, until) => (literal(from), literal(until)) }
      case _ => Seq(range)
    }

  // Spark gives ORC a range for each.
  private def isTimestamp(dataType: DataType): Boolean = dataType == TimestampType ||
    dataType == TimestampNTZType

  private def between(column: Attribute, range: (Literal, Literal)): Expression = range match {
    case (low, high) if low == high => EqualTo(column, low)
    case (low, high) => And(GreaterThanOrEqual(column, low), LessThanOrEqual(column, high))
  }

  private def pruned(
      scan: SparkPlan,
      predicates: Seq[Seq[Expression]],
      counts: Option[RowGroupCounts]
  ): SparkPlan = scan match {
    case _ if predicates.isEmpty => scan
    case files: FileSourceScanExec =>
      val (ofPartitions, ofData) =
        predicates.map(anyOf).partition(_.references.forall(isPartition(files, _)))
      JoinShim.withFilters(
        files,
        ofPartitions,
        ofData,
        KeyFilteredFormat(files.relation.fileFormat, ofData, counts),
        predicates.map(_.size).sum <= MostDictionaryReads
      )
    case cached: InMemoryTableScanExec => JoinShim.withFilters(cached, predicates.map(anyOf))
    case stage: TableCacheQueryStageExec => pruned(stage.plan, predicates, counts)
    case source: BatchScanExec => SourceScan.withFilters(source, predicates.map(anyOf))
    case other => other
  }

  /** Whether the row groups of `scan` can be counted. */
  def countsRowGroups(scan: SparkPlan): Boolean = scan match {
    case files: FileSourceScanExec => KeyFilteredFormat.isParquet(files.relation.fileFormat)
    case _ => false
  }

  /** A tree that is as deep as it must be. */
  private def anyOf(conditions: Seq[Expression]): Expression =
    if (conditions.size == 1) conditions.head
    else {
      val (left, right) = conditions.splitAt(conditions.size / 2)
      Or(anyOf(left), anyOf(right))
    }
}
