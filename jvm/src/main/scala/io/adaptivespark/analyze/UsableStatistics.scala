package io.adaptivespark.analyze

import scala.util.Try

import org.apache.spark.sql.catalyst.catalog.{CatalogColumnStat, CatalogStatistics}
import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeMap}
import org.apache.spark.sql.catalyst.plans.logical.{ColumnStat, Histogram, HistogramBin}
import org.apache.spark.sql.catalyst.plans.logical.statsEstimation.EstimationUtils
import org.apache.spark.sql.types.{
  ArrayType,
  BinaryType,
  BooleanType,
  ByteType,
  DataType,
  DateType,
  DecimalType,
  DoubleType,
  FloatType,
  IntegerType,
  LongType,
  MapType,
  ShortType,
  StringType,
  StructType,
  TimestampType,
  UserDefinedType
}

/** Statistics that Spark's planner can estimate with. Pure.
  *
  * Spark estimates with what stands in the catalog, whoever wrote it, and fails the query if a value or a
  * type is none that it expects. ANALYZE collects more than the planner takes: times without a time zone,
  * and text with a collation. So a list says what may pass, and all else is left out: for such a column the
  * planner guesses, as it does without statistics.
  *
  * @param comparesWithNaN
  *   whether the query compares with NaN, for which no range of floating-point numbers is good
  */
final private[adaptivespark] case class UsableStatistics(comparesWithNaN: Boolean = false) {
  import UsableStatistics._

  /** A table's statistics with what is usable for the columns of `output`; the object itself if that is all. */
  def of(output: Seq[Attribute], found: CatalogStatistics): CatalogStatistics = {
    val types = output.map(column => column.name -> column.dataType).toMap
    val usable = found.colStats.flatMap { case (name, column) =>
      types.get(name).fold(Option(column))(of(name, _, column)).map(name -> _)
    }
    noSmallerThanFiles(output, if (usable == found.colStats) found else found.copy(colStats = usable))
  }

  /** What is usable of a column's statistics. */
  def of(name: String, dataType: DataType, found: CatalogColumnStat): Option[CatalogColumnStat] =
    Some(found).filter(hasCounts).flatMap(counted =>
      dataType match {
        // joins of text divide by the number of distinct values
        case StringType | BinaryType => Some(withoutRange(counted)).filter(!isAllNull(_))
        case BooleanType => ranged(name, dataType, counted).map(_.copy(histogram = None))
        case FloatType | DoubleType => if (comparesWithNaN) None else ranged(name, dataType, counted)
        case _ if isRanged(dataType) => ranged(name, dataType, counted)
        case _ => None
      }
    )
}

private[adaptivespark] object UsableStatistics {

  // Footers, and columns that are wider in files than in memory, as a number in a text file is.
  private val Narrow = BigInt(1) << 20

  // The most that files have of rows without long columns, as a multiple of Spark's width: an INT of a name of 60
  // characters takes 75 bytes in JSON, and 4 by its type.
  private val MostWritten = 64

  // The longest that texts are taken to be on average. A table of longer ones is planned as well by its files alone.
  private val LongestText = BigInt(1) << 20

  /** Statistics by which a table with wide columns is planned no smaller than its files.
    *
    * Spark takes a table's rows times the widths of its columns for its size, and 20 bytes for a text of which nothing
    * is known: of long ones, a table of any size would be broadcast. What the files have more is of such columns here.
    * Where it can only be of arrays, maps or structs, Spark plans by the size of the files alone. So it does where
    * files have too much for their rows: another engine's number of rows, such as Hive's, stays as it is when Spark
    * writes, which drops statistics of columns.
    */
  private def noSmallerThanFiles(output: Seq[Attribute], found: CatalogStatistics): CatalogStatistics =
    found.rowCount.filter(_ > 0).fold(found) { rows =>
      val inMemory = rows * width(output, found)
      val lacking = found.sizeInBytes - inMemory
      val unknown =
        output.filter(column => isOfAnyWidth(column.dataType) && !found.colStats.contains(column.name))
      val fits = found.colStats.nonEmpty || found.sizeInBytes <= inMemory * MostWritten
      if (lacking <= Narrow || unknown.isEmpty && fits) found
      else {
        val texts = unknown.filter(column => isText(column.dataType))
        lengths(texts, lacking / rows).fold(found.copy(rowCount = None, colStats = Map.empty))(long =>
          found.copy(colStats = found.colStats ++ long)
        )
      }
    }

  /** Statistics of `texts` that share `bytes` of each row; None where these are too many for them. */
  private def lengths(texts: Seq[Attribute], bytes: BigInt): Option[Map[String, CatalogColumnStat]] = {
    def more = bytes / texts.size + 1
    if (texts.isEmpty || more > LongestText) None
    else Some(texts.map { column =>
      val length = (more + column.dataType.defaultSize).toLong
      column.name -> CatalogColumnStat(avgLen = Some(length), maxLen = Some(length))
    }.toMap)
  }

  private def isOfAnyWidth(dataType: DataType): Boolean = dataType match {
    case _: StringType | BinaryType | _: ArrayType | _: MapType | _: StructType | _: UserDefinedType[_] =>
      true
    case other => other.typeName == "variant" // since Spark 4.0
  }

  private def width(output: Seq[Attribute], found: CatalogStatistics): BigInt = {
    val known = for (column <- output; of <- found.colStats.get(column.name))
      yield column -> ColumnStat(avgLen = of.avgLen)
    EstimationUtils.getSizePerRow(output, AttributeMap(known))
  }

  private def isText(dataType: DataType): Boolean = dataType == StringType || dataType == BinaryType

  /** Whether the planner can use statistics of such a column, other than those of NaN. */
  def isUsable(dataType: DataType): Boolean = dataType match {
    case StringType | BinaryType | BooleanType | FloatType | DoubleType => true
    case _ => isRanged(dataType)
  }

  /** Whether the planner can use a constant, null too. */
  def isUsable(constant: Any, dataType: DataType): Boolean = (constant, dataType) match {
    case (null, StringType | BinaryType) => false
    case (null, _) => isUsable(dataType)
    case (number: Double, DoubleType) => isFinite(number)
    case (number: Float, FloatType) => isFinite(number.toDouble)
    case _ => isUsable(dataType)
  }

  private def isRanged(dataType: DataType): Boolean = dataType match {
    case ByteType | ShortType | IntegerType | LongType | DateType | TimestampType => true
    case _: DecimalType => true
    case _ => false
  }

  private def hasCounts(found: CatalogColumnStat): Boolean =
    found.distinctCount.exists(_ >= 0) && found.nullCount.exists(_ >= 0)

  private def isAllNull(found: CatalogColumnStat): Boolean = found.distinctCount.contains(BigInt(0))

  private def withoutRange(found: CatalogColumnStat): CatalogColumnStat =
    found.copy(min = None, max = None, histogram = None)

  /** Without a range, values are expected to be all null. */
  private def ranged(name: String, dataType: DataType, found: CatalogColumnStat): Option[CatalogColumnStat] =
    if (found.min.isEmpty && found.max.isEmpty) Some(withoutRange(found)).filter(isAllNull)
    else
      range(name, dataType, found).filter(_ => !isAllNull(found)).map { case (low, high) =>
        found.copy(histogram = found.histogram.filter(isSound(_, low, high)).map(coarser))
      }

  // the text may be another engine's, or of the type that the column had before
  private def range(name: String, dataType: DataType, found: CatalogColumnStat): Option[(Double, Double)] =
    Try(found.toPlanStat(name, dataType)).toOption.flatMap {
      case ColumnStat(_, Some(low), Some(high), _, _, _, _, _) =>
        Try(EstimationUtils.toDouble(low, dataType) -> EstimationUtils.toDouble(high, dataType)).toOption
      case _ => None
    }.filter { case (low, high) => isFinite(low) && isFinite(high) && low <= high }

  /** Whether the bins hold the range without a gap, and values in each. */
  private def isSound(of: Histogram, low: Double, high: Double): Boolean = {
    val bins = of.bins
    bins.nonEmpty && isFinite(of.height) && of.height > 0 &&
    bins.forall(bin => isFinite(bin.lo) && isFinite(bin.hi) && bin.lo <= bin.hi && bin.ndv > 0) &&
    bins.zip(bins.drop(1)).forall { case (bin, next) => bin.hi == next.lo } &&
    bins.head.lo <= low && high <= bins.last.hi
  }

  // Spark meets each bin of one side of a join with each of the other that has its values, and takes time by the
  // square of these pairs: a join of 254 bins that are all alike was planned for more than a minute; 64 take
  // milliseconds.
  private[analyze] val MostAlike = 64

  /** The histogram itself, or one of wider bins where more than `MostAlike` have the same range: those of a value that
    * most rows have, and of integers so large that a double cannot tell them apart.
    */
  private def coarser(of: Histogram): Histogram = {
    val alike = of.bins.groupBy(range).values.map(_.length).max
    if (alike <= MostAlike) of
    else {
      val groups = of.bins.grouped((alike + MostAlike - 1) / MostAlike).toArray
      val bins = groups.map { group =>
        HistogramBin(group.head.lo, group.last.hi, group.groupBy(range).values.map(_.head.ndv).sum)
      }
      Histogram(of.height * of.bins.length / bins.length, bins)
    }
  }

  private def range(bin: HistogramBin): (Double, Double) = (bin.lo, bin.hi)

  private def isFinite(number: Double): Boolean = !number.isNaN && !number.isInfinite
}
