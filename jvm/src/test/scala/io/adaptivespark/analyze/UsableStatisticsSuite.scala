package io.adaptivespark.analyze

import org.apache.spark.sql.catalyst.catalog.{CatalogColumnStat, CatalogStatistics}
import org.apache.spark.sql.catalyst.expressions.AttributeReference
import org.apache.spark.sql.catalyst.plans.logical.{Histogram, HistogramBin}
import org.apache.spark.sql.types._
import org.scalatest.funsuite.AnyFunSuite

import io.adaptivespark.NewerTypes

class UsableStatisticsSuite extends AnyFunSuite {
  import UsableStatisticsSuite._

  private val usable = UsableStatistics()

  private def of(dataType: DataType, found: CatalogColumnStat): Option[CatalogColumnStat] =
    usable.of("c", dataType, found)

  Ranges.foreach { case (dataType, (low, high)) =>
    val found = counts(distinct = 5).copy(min = Some(low), max = Some(high))

    test(s"statistics of the type ${dataType.sql} are usable with their range") {
      assert(UsableStatistics.isUsable(dataType))
      assert(of(dataType, found) == Some(found))
      assert(of(dataType, counts(distinct = 0)) == Some(counts(distinct = 0)))
    }

    test(s"statistics of the type ${dataType.sql} are not usable without a range that can be read") {
      val wrong = Seq(
        found.copy(min = None),
        found.copy(max = None),
        found.copy(min = None, max = None),
        found.copy(min = Some("[1, 2]")),
        found.copy(max = Some("")),
        found.copy(min = Some(high), max = Some(low)),
        found.copy(distinctCount = Some(0)),
        found.copy(distinctCount = None),
        found.copy(nullCount = None),
        found.copy(distinctCount = Some(-1))
      )
      wrong.foreach(each => assert(of(dataType, each) == None, each))
    }
  }

  Seq(StringType, BinaryType).foreach { dataType =>
    test(s"of the type ${dataType.sql} the counts are usable, unless all values are null") {
      val found = counts(distinct = 5)
      assert(of(dataType, found) == Some(found))
      assert(
        of(
          dataType,
          found.copy(min = Some("a"), max = Some("b"), histogram = Some(histogram(0, 9)))
        ) == Some(found)
      )
      assert(of(dataType, counts(distinct = 0)) == None)
    }
  }

  test("statistics of no other type are usable") {
    val found = counts(distinct = 5)
    val others = Seq(
      TimestampNTZType,
      CharType(3),
      VarcharType(3),
      DayTimeIntervalType(),
      YearMonthIntervalType(),
      CalendarIntervalType,
      NullType,
      ArrayType(IntegerType),
      MapType(IntegerType, IntegerType),
      StructType(Seq(StructField("x", IntegerType))),
      new OfUser
    ) ++ NewerTypes.collated ++ NewerTypes.others
    others.foreach { dataType =>
      assert(!UsableStatistics.isUsable(dataType), dataType)
      Seq(found, found.copy(min = Some("1"), max = Some("2"))).foreach(each =>
        assert(of(dataType, each) == None, dataType)
      )
    }
  }

  test("a range of floating-point numbers is finite, and there is none in a query that compares with NaN") {
    for (dataType <- Seq(FloatType, DoubleType); edge <- Seq("NaN", "Infinity", "-Infinity")) {
      val found = counts(distinct = 5).copy(min = Some("1"), max = Some("2"))
      assert(of(dataType, found.copy(max = Some(edge))) == None)
      assert(of(dataType, found.copy(min = Some(edge))) == None)
      assert(UsableStatistics(comparesWithNaN = true).of("c", dataType, found) == None)
    }
  }

  test("a histogram without gaps and empty bins that holds the range is usable, another is left out") {
    val found = counts(distinct = 5).copy(min = Some("1"), max = Some("9"))
    val sound = histogram(1, 5, 5, 9)
    assert(of(IntegerType, found.copy(histogram = Some(sound))) == Some(found.copy(histogram = Some(sound))))
    val wrong = Seq(
      histogram(),
      histogram(2, 9),
      histogram(1, 8),
      histogram(1, 4, 6, 9),
      histogram(1, 12, 3, 9),
      histogram(1, Double.NaN),
      histogram(Double.NegativeInfinity, 9),
      sound.copy(height = Double.NaN),
      sound.copy(height = 0),
      sound.copy(bins = sound.bins.map(_.copy(ndv = 0)))
    )
    wrong.foreach(each => assert(of(IntegerType, found.copy(histogram = Some(each))) == Some(found)))
    assert(
      of(BooleanType, counts(2).copy(min = Some("false"), max = Some("true"), histogram = Some(sound)))
        .exists(_.histogram.isEmpty)
    )
  }

  test("a histogram of which many bins are alike has wider ones, with its rows and values") {
    def read(alike: Int): Histogram = {
      val edges = Seq(1.0, 7.0) ++ Seq.fill(2 * alike)(7.0) ++ Seq(7.0, 9.0)
      of(
        IntegerType,
        counts(5).copy(min = Some("1"), max = Some("9"), histogram = Some(histogram(edges: _*)))
      )
        .flatMap(_.histogram).get
    }
    def rows(of: Histogram): Double = of.height * of.bins.length
    val kept = read(UsableStatistics.MostAlike)
    assert(kept.bins.length == UsableStatistics.MostAlike + 2)
    val wider = read(252)
    assert(wider.bins.count(bin => bin.lo == 7 && bin.hi == 7) <= UsableStatistics.MostAlike)
    assert(wider.bins.length > UsableStatistics.MostAlike / 2)
    assert(math.abs(rows(wider) - 3 * 254) < 1e-6)
    assert((wider.bins.head.lo, wider.bins.last.hi) == ((1.0, 9.0)))
    // those of the value 7 are counted once in each bin
    assert(wider.bins.map(_.ndv).toSet.subsetOf(Set(2L, 4L)))
  }

  test("a table's statistics are the object itself where all are usable, and keep the others where not") {
    val output = Seq(AttributeReference("a", IntegerType)(), AttributeReference("b", TimestampNTZType)())
    val range = counts(distinct = 5).copy(min = Some("1"), max = Some("9"), histogram = Some(histogram(1, 9)))
    val good = CatalogStatistics(100, Some(10), Map("a" -> range, "hidden" -> range))
    assert(usable.of(output, good) eq good)
    val mixed = good.copy(colStats = good.colStats + ("b" -> range))
    assert(usable.of(output, mixed) == good)
  }

  private val wide = Seq(
    AttributeReference("id", LongType)(),
    AttributeReference("text", StringType)(),
    AttributeReference("bytes", BinaryType)(),
    AttributeReference("known", StringType)()
  )
  private val range = counts(distinct = 5).copy(min = Some("1"), max = Some("9"), avgLen = Some(8))
  private val files = CatalogStatistics(
    200000000,
    Some(150000),
    Map("id" -> range, "known" -> counts(distinct = 5).copy(avgLen = Some(3)))
  )

  test("what the files have more than the widths of columns come to is of texts of which nothing is known") {
    val found = usable.of(wide, files)
    assert(found.colStats("id") == range && found.colStats("known").avgLen.contains(3L))
    val lengths = Seq("text", "bytes").map(name => found.colStats(name).avgLen.get)
    assert(lengths.forall(length => length > 600 && length < 700))
    assert(found.colStats("text").distinctCount.isEmpty)
    assert(found.toPlanStats(wide, planStatsEnabled = true).sizeInBytes >= files.sizeInBytes)
    assert(usable.of(wide, found) == found)
  }

  test("a table whose other columns cannot have what its files have more is planned by their size alone") {
    val array = wide.take(1) :+ AttributeReference("many", ArrayType(StringType))()
    val found = usable.of(array, files)
    assert(found == CatalogStatistics(files.sizeInBytes))
  }

  test("a number of rows that is too small for the files is that of others, and has no effect") {
    val narrow = Seq(AttributeReference("id", IntegerType)())
    def of(bytes: Long, rows: Long, columns: Seq[AttributeReference]) =
      usable.of(columns, CatalogStatistics(bytes, Some(rows)))
    // as numbers are written in JSON, and as Spark leaves Hive's count of three rows once it has written more
    assert(of(75L << 20, 1L << 20, narrow).rowCount.contains(BigInt(1 << 20)))
    for (columns <- Seq(narrow, wide)) assert(of(5L << 30, 3, columns) == CatalogStatistics(5L << 30))
  }

  test("a table of narrow rows, of none, and one that nobody has counted stay as they are") {
    Seq(
      files.copy(sizeInBytes = 1000000),
      CatalogStatistics(2000, Some(5), files.colStats),
      files.copy(colStats = wide.map(_.name -> counts(distinct = 5)).toMap + ("id" -> range)),
      files.copy(rowCount = Some(0)),
      files.copy(rowCount = None)
    ).foreach(each => assert(usable.of(wide, each) eq each))
  }
}

private object UsableStatisticsSuite {
  private def counts(distinct: Int): CatalogColumnStat = CatalogColumnStat(
    distinctCount = Some(distinct),
    nullCount = Some(1),
    avgLen = Some(4),
    maxLen = Some(4)
  )

  private def histogram(edges: Double*): Histogram =
    Histogram(3, edges.grouped(2).map(edge => HistogramBin(edge(0), edge(1), 2)).toArray)

  private val Ranges: Seq[(DataType, (String, String))] = Seq(
    BooleanType -> ("false" -> "true"),
    ByteType -> ("-128" -> "127"),
    ShortType -> ("1" -> "2"),
    IntegerType -> ("1" -> "2"),
    LongType -> ("-9223372036854775808" -> "9223372036854775807"),
    FloatType -> ("-3.4028235E38" -> "0.1"),
    DoubleType -> ("-1.7976931348623157E308" -> "1.7976931348623157E308"),
    DecimalType(38, 18) -> ("-99999999999999999999.999999999999999999" -> "0.000000000000000001"),
    DecimalType(38, 0) -> ("0" -> "99999999999999999999999999999999999999"),
    DateType -> ("0001-01-01" -> "9999-12-31"),
    TimestampType -> ("0001-01-01 00:00:00.000000" -> "9999-12-31 23:59:59.999999")
  )

  /** A type of a user. */
  final private class OfUser extends UserDefinedType[String] {
    override def sqlType: DataType = IntegerType
    override def serialize(of: String): Any = of.length
    override def deserialize(datum: Any): String = datum.toString
    override def userClass: Class[String] = classOf[String]
  }
}
