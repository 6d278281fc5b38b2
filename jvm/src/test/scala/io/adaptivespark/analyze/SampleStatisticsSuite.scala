package io.adaptivespark.analyze

import org.apache.spark.sql.{AnalysisException, Row}
import org.apache.spark.sql.catalyst.TableIdentifier
import org.apache.spark.sql.catalyst.catalog.CatalogStatistics
import org.apache.spark.sql.catalyst.plans.logical.ColumnStat
import org.apache.spark.sql.execution.adaptivespark.ColumnStatistics
import org.apache.spark.sql.execution.command.AnalyzeColumnCommand
import org.apache.spark.sql.types.{DateType, LongType}
import org.scalatest.Assertion
import org.scalatest.funsuite.AnyFunSuite

import io.adaptivespark.{Interpreted, OfThisSpark}
import io.adaptivespark.conf.AdaptiveSparkConf
import io.adaptivespark.shim.SessionShim
import io.adaptivespark.shim.SessionShim.Local

class SampleStatisticsSuite extends AnyFunSuite with Interpreted {
  private val rows = 400000

  override protected def beforeAll(): Unit = {
    super.beforeAll()
    spark.sql("CREATE SCHEMA shop")
    spark.sql(
      s"""CREATE TABLE shop.orders USING parquet AS SELECT id, id % 100 AS few, if(id % 4 = 0, null, cast(id % 7 AS string)) AS seven,
         |if(id % 2 = 0, 0, id) AS half, pmod(xxhash64(id), 20000) AS `m``any`, date_add(date'2026-01-01', cast(id % 365 AS int)) AS day,
         |array(id) AS tags FROM range(0, $rows, 1, 4)""".stripMargin
    )
  }

  private def analyzed(sample: String, table: String, columns: String): CatalogStatistics =
    withConf(AdaptiveSparkConf.Sample.name -> sample) {
      spark.sql(s"ANALYZE TABLE $table COMPUTE STATISTICS FOR $columns")
      statistics(table)
    }

  private def statistics(table: String): CatalogStatistics = {
    val Array(schema, name) = table.split('.')
    SessionShim.catalog(spark).getTableMetadata(TableIdentifier(name, Some(schema))).stats.get
  }

  private def near(found: BigInt, expected: Double, within: Double): Assertion =
    assert(math.abs(found.toDouble / expected - 1) < within, s"$found, not about $expected")

  test("rows, nulls and distinct values are scaled up from the sample") {
    val found = analyzed("0.1", "shop.orders", "COLUMNS id, few, seven, half, `m``any`, day")
    near(found.rowCount.get, rows, 0.02)
    near(found.colStats("seven").nullCount.get, rows / 4.0, 0.05)
    near(found.colStats("few").distinctCount.get, 100, 0.06) // Spark's own estimate of what the sample holds
    assert(found.colStats("seven").distinctCount == Some(BigInt(7)))
    assert(found.colStats("day").distinctCount.exists(each => each > 350 && each < 380))
    near(found.colStats("id").distinctCount.get, rows, 0.02)
    near(found.colStats("m`any").distinctCount.get, 20000, 0.1)
    // half of the rows hold one value, the others one each
    near(found.colStats("half").distinctCount.get, rows / 2.0, 0.02)
    val few = found.colStats("few").toPlanStat("few", LongType)
    assert(few.min == Some(0L: Any) && few.max == Some(99L: Any))
    assert(found.colStats("day").toPlanStat("day", DateType).min.isDefined)
    assert(found.sizeInBytes > 0)
  }

  private def marks(table: String): Seq[Row] = {
    val Array(schema, name) = table.split('.')
    spark.sql(
      s"SELECT row_count, row_count_sample, column_name, sample FROM adaptive_catalog('$schema', '$name') WHERE distinct_count IS NOT NULL ORDER BY column_index"
    ).collect().toSeq.map(row => Row(row.getDecimal(0).longValue, row.get(1), row.get(2), row.get(3)))
  }

  test("a count that is known stays, and what is estimated is marked until it changes") {
    spark.sql(s"CREATE TABLE shop.marked USING parquet AS SELECT id, id % 9 AS k FROM range(0, $rows, 1, 4)")
    val guess = analyzed("0.1", "shop.marked", "COLUMNS id").rowCount.get.toLong
    assert(guess != rows && marks("shop.marked") == Seq(Row(guess, 0.1, "id", 0.1)))
    withConf(AdaptiveSparkConf.RowCount.name -> rows.toString) {
      val found = analyzed("0.1", "shop.marked", "COLUMNS k")
      assert(found.rowCount == Some(BigInt(rows)))
      assert(marks("shop.marked") == Seq(Row(rows, null, "id", 0.1), Row(rows, null, "k", 0.1)))
    }
    // counted, not estimated, and the files are the same
    assert(analyzed("0.2", "shop.marked", "COLUMNS id").rowCount == Some(BigInt(rows)))
    assert(marks("shop.marked") == Seq(Row(rows, null, "id", 0.2), Row(rows, null, "k", 0.1)))
    // Spark's own command
    analyzed("1", "shop.marked", "COLUMNS id")
    assert(marks("shop.marked") == Seq(Row(rows, null, "id", null), Row(rows, null, "k", 0.1)))
    spark.sql("INSERT INTO shop.marked VALUES (-1, -1)")
    assert(marks("shop.marked").isEmpty)
    val more = analyzed("0.1", "shop.marked", "COLUMNS id, k").rowCount.get.toLong
    assert(marks("shop.marked") == Seq(Row(more, 0.1, "id", 0.1), Row(more, 0.1, "k", 0.1)))
    analyzed("1", "shop.marked", "COLUMNS id, k")
    assert(marks("shop.marked") == Seq(Row(rows + 1, null, "id", null), Row(rows + 1, null, "k", null)))
  }

  test("a known count that the sample contradicts is not believed") {
    withConf(AdaptiveSparkConf.RowCount.name -> "10") {
      near(analyzed("0.1", "shop.orders", "COLUMNS id").rowCount.get, rows, 0.02)
    }
  }

  test("of many values one in several is counted: unique ones, pairs, and rare ones beside frequent ones") {
    spark.sql(
      """CREATE TABLE shop.large USING parquet AS SELECT id, id div 2 AS pair, if(id % 20 = 0, 0, id) AS most, if(id % 500 = 0, id % 3, id div 2) AS sentinel,
        |if(id % 200 = 0, id, 0) AS few_set, if(id % 1000 = 0, id, id % 50) AS few_rare,
        |if(id % 15000 = 0, id, id % 3000) AS hardly_rare FROM range(0, 3000000, 1, 4)""".stripMargin
    )
    val found = withConf(
      "spark.sql.statistics.histogram.enabled" -> "true",
      AdaptiveSparkConf.HistogramColumns.name -> """["few_set"]"""
    )(analyzed("0.2", "shop.large", "ALL COLUMNS")).colStats
    near(found("id").distinctCount.get, 3000000, 0.03)
    near(found("pair").distinctCount.get, 1500000, 0.05)
    near(found("most").distinctCount.get, 2850000, 0.03)
    near(found("sentinel").distinctCount.get, 1500000, 0.05)
    near(found("few_set").distinctCount.get, 15000, 0.05)
    near(found("few_rare").distinctCount.get, 3050, 0.1)
    near(found("hardly_rare").distinctCount.get, 3199, 0.03)
    val bins = found("few_set").histogram.get.bins
    assert(bins.exists(_.lo == bins.head.hi) && bins.filter(bin => bin.lo == bin.hi).forall(_.ndv == 1))
    near(BigInt(bins.filter(bin => bin.lo < bin.hi).map(_.ndv).sum), 15000, 0.1)
  }

  test("texts that a collation takes for one are one") {
    assume(OfThisSpark.hasTypes("collate "), "This Spark has no collations.")
    spark.sql(
      """CREATE TABLE shop.mails USING parquet AS
        |SELECT concat(if(id % 2 = 0, 'A', 'a'), id div 2, '@x') COLLATE UTF8_LCASE AS mail FROM range(400000)""".stripMargin
    )
    near(analyzed("0.5", "shop.mails", "COLUMNS mail").colStats("mail").distinctCount.get, 200000, 0.05)
  }

  test("of all columns, those are sampled whose statistics the planner can use") {
    val names = Seq("cast(id AS string) COLLATE UNICODE_CI AS name, ").filter(OfThisSpark.hasTypes).mkString
    spark.sql(
      s"CREATE TABLE shop.visits USING parquet AS SELECT id, array(id) AS tags, $names" +
        "timestamp_ntz'2026-01-01' + make_dt_interval(0, cast(id AS int)) AS at FROM range(50000)"
    )
    val found = analyzed("0.5", "shop.visits", "ALL COLUMNS")
    assert(found.colStats.keySet == Set("id"))
    near(found.rowCount.get, 50000, 0.05)
    assert(analyzed("0.5", "shop.visits", "COLUMNS at").colStats.keySet == Set("id", "at"))
  }

  test("a sample is kept no longer than it is read, of partitions too, and where that fails") {
    spark.sql(
      "CREATE TABLE shop.days USING parquet PARTITIONED BY (day) AS SELECT id, array(id) AS tags, id % 3 AS day FROM range(200000)"
    )
    near(analyzed("0.5", "shop.days", "COLUMNS id, day").colStats("id").distinctCount.get, 200000, 0.03)
    intercept[AnalysisException](analyzed("0.5", "shop.days", "COLUMNS id, tags"))
    assert(spark.asInstanceOf[Local].sharedState.cacheManager.isEmpty)
  }

  test("histograms have the whole table's heights") {
    val found = withConf(
      "spark.sql.statistics.histogram.enabled" -> "true",
      "spark.sql.statistics.histogram.numBins" -> "10"
    )(
      analyzed("0.1", "shop.orders", "COLUMNS id")
    )
    val histogram = found.colStats("id").histogram.get
    near(BigInt(histogram.height.toLong), rows / 10.0, 0.02)
    near(BigInt(histogram.bins.map(_.ndv).sum), rows, 0.1)
  }

  Seq("1" -> rows.toLong, "0.1" -> 0L).foreach { case (sample, exactly) =>
    test(s"histograms of some columns only, in one statement, of a share of $sample") {
      val found = withConf(
        "spark.sql.statistics.histogram.enabled" -> "true",
        AdaptiveSparkConf.HistogramColumns.name -> """["ID", "m`any", "seven", "nope"]"""
      )(analyzed(sample, "shop.orders", "COLUMNS id, few, seven, `m``any`"))
      assert(found.colStats.filter(_._2.histogram.isDefined).keySet == Set("id", "m`any"))
      assert(exactly == 0 || found.rowCount == Some(BigInt(exactly)))
      near(found.rowCount.get, rows, 0.02)
      near(found.colStats("few").distinctCount.get, 100, 0.06)
      near(found.colStats("id").distinctCount.get, rows, 0.1)
      assert(spark.conf.get("spark.sql.statistics.histogram.enabled") == "false")
    }
  }

  test("where the session has no histograms, none are made of columns that are named") {
    val found = withConf(AdaptiveSparkConf.HistogramColumns.name -> """["id"]""")(
      analyzed("1", "shop.orders", "COLUMNS id, few")
    )
    assert(Seq("id", "few").forall(found.colStats(_).histogram.isEmpty))
  }

  test("what is no list of names is refused") {
    Seq("id", "[1]", "{}", "[").foreach { text =>
      val error =
        intercept[IllegalArgumentException](spark.conf.set(AdaptiveSparkConf.HistogramColumns.name, text))
      assert(error.getMessage.contains("a JSON list of names"))
    }
  }

  test("a column may be named twice, and in another case") {
    near(analyzed("0.1", "shop.orders", "COLUMNS id, ID").colStats("id").distinctCount.get, rows, 0.02)
  }

  test("statistics of other columns stay") {
    analyzed("1", "shop.orders", "COLUMNS few")
    val found = analyzed("0.1", "shop.orders", "COLUMNS id")
    assert(Set("few", "id").subsetOf(found.colStats.keySet))
  }

  test("a table of which the sample is too small is counted whole") {
    spark.sql("CREATE TABLE shop.small USING parquet AS SELECT id FROM range(20000)")
    Seq("" -> true, "[]" -> false).foreach { case (columns, drawn) =>
      val found = withConf(
        "spark.sql.statistics.histogram.enabled" -> "true",
        AdaptiveSparkConf.HistogramColumns.name -> columns
      )(analyzed("0.1", "shop.small", "COLUMNS id"))
      assert(found.rowCount == Some(BigInt(20000)))
      assert(found.colStats("id").histogram.isDefined == drawn)
    }
  }

  test("the share 1 is Spark's own command") {
    assert(analyzed("1", "shop.orders", "COLUMNS few").rowCount == Some(BigInt(rows)))
  }

  test("errors are Spark's own") {
    spark.sql("CREATE VIEW shop.seen AS SELECT id FROM shop.orders")
    Seq("0.1", "1").foreach { share =>
      def refused(table: String, columns: String): String = intercept[AnalysisException](
        withConf(AdaptiveSparkConf.HistogramColumns.name -> "[]")(analyzed(share, table, columns))
      ).getMessage
      assert(refused("shop.orders", "COLUMNS nope").contains("nope"))
      assert(refused("shop.orders", "COLUMNS tags").toLowerCase.contains("array"))
      assert(refused("shop.nope", "COLUMNS id").contains("nope"))
      assert(refused("shop.seen", "COLUMNS id").toLowerCase.contains("view"))
    }
  }

  test("a share out of bounds is refused") {
    val error = intercept[IllegalArgumentException](spark.conf.set(AdaptiveSparkConf.Sample.name, "0"))
    assert(error.getMessage.contains("in [0.001, 1]"))
  }

  test("estimates: unique, frequent, in between, and none") {
    val estimate = SampleEstimate(0.01)
    assert(estimate.distinct(1000, 1000, 1000) == 100000)
    assert(estimate.distinct(1000, 10, 0) == 10)
    assert(estimate.distinct(1000, 100, 10) == 101)
    assert(estimate.distinct(0, 0, 0) == 0)
    assert(estimate.scaled(3) == 300)
  }

  test("estimates: no more distinct values than there are rows that have one") {
    val seen = ColumnStat(distinctCount = Some(900), nullCount = Some(100))
    val found = SampleEstimate(0.01).column(seen, 100800, 100000)
    assert((found.distinctCount, found.nullCount) == ((Some(BigInt(90000)), Some(BigInt(10000)))))
    assert(SampleEstimate(0.01).column(seen, 5000, 100000).distinctCount.contains(BigInt(5000)))
  }

  test("statistics of rows that were replaced while they were read are not stored") {
    spark.sql("CREATE TABLE moving USING parquet AS SELECT id FROM range(30000)")
    try {
      spark.sql("ANALYZE TABLE moving COMPUTE STATISTICS FOR COLUMNS id")
      def table = SessionShim.catalog(spark).getTableMetadata(TableIdentifier("moving", Some("default")))
      val read = table
      val size = ColumnStatistics.size(spark, read)
      val command =
        AnalyzeSampleCommand(AnalyzeColumnCommand(read.identifier, Some(Seq("id")), false), 0.5, None, None)
      command.store(spark, read, size, 30000, isExact = true, Map.empty)
      spark.sql("INSERT INTO moving SELECT id FROM range(10)")
      val error = intercept[IllegalStateException](
        command.store(spark, read, size, 30000, isExact = true, Map.empty)
      )
      assert(error.getMessage.endsWith("moving was written while it was analyzed."))
      assert(table.stats.flatMap(_.rowCount).isEmpty)
    } finally spark.sql("DROP TABLE moving")
  }
}
