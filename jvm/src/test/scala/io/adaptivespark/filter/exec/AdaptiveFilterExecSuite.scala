package io.adaptivespark.filter.exec

import java.nio.file.Files

import scala.collection.mutable

import org.apache.logging.log4j.{Level, LogManager}
import org.apache.logging.log4j.core.{LogEvent, Logger}
import org.apache.logging.log4j.core.appender.AbstractAppender
import org.apache.logging.log4j.core.config.{Configurator, Property}
import org.apache.spark.sql.{DataFrame, SaveMode}
import org.apache.spark.sql.execution.{FilterExec, FormattedMode}
import org.apache.spark.sql.execution.exchange.ReusedExchangeExec
import org.apache.spark.sql.functions._
import org.scalatest.funsuite.AnyFunSuite

import io.adaptivespark.{Forms, SparkSuite}
import io.adaptivespark.shim.SharedSubexpressionsShim

class AdaptiveFilterExecSuite extends AnyFunSuite with SparkSuite {
  private lazy val path = {
    val directory = Files.createTempDirectory("filter").resolve("t").toString
    spark
      .range(0, 200000, 1, 4)
      .select(
        col("id"),
        when(col("id") % 7 =!= 0, col("id") % 100).cast("int").as("i"),
        when(col("id") % 11 =!= 0, concat(lit("name-"), col("id") % 1000)).as("s"),
        when(
          col("id") % 13 === 0,
          lit(Double.NaN)
        ).when(col("id") % 17 === 0, lit(-0.0)).otherwise(col("id") / 10).as("d"),
        expr("date_add(DATE '2020-01-01', cast(id % 700 as int))").as("dt")
      )
      .write
      .mode(SaveMode.Overwrite)
      .parquet(directory)
    directory
  }

  private def table: DataFrame = spark.read.parquet(path)

  /** A tenth of the rows, for filters of many conjuncts. */
  private lazy val few = {
    val directory = Files.createTempDirectory("few").resolve("t").toString
    table.limit(20000).write.parquet(directory)
    spark.read.parquet(directory)
  }

  private val condition =
    "i <> 1000 AND s LIKE '%9%7%' AND i > 20 AND dt > DATE '2020-06-01' AND (d > 5 OR i < 30) AND d = d"
  private val quick =
    Seq("collectRate" -> "3", "calculateRate" -> "300", "initialOrder" -> "written").map {
      case (key, value) =>
        s"spark.sql.adaptiveFilter.$key" -> value
    }

  private def filters(query: DataFrame): Seq[AdaptiveFilter] =
    collect(executed(query)) { case f: AdaptiveFilter => f }

  for (aqe <- Seq(true, false); wholeStage <- Seq(true, false); vectorized <- Seq(true, false))
    test(
      s"keeps rows when the order changes (AQE $aqe, generated code $wholeStage, vectorized scan $vectorized)",
      Forms.unless(aqe): _*
    ) {
      withConf(
        quick ++ Seq(
          "spark.sql.adaptive.enabled" -> aqe.toString,
          "spark.sql.codegen.wholeStage" -> wholeStage.toString,
          "spark.sql.parquet.enableVectorizedReader" -> vectorized.toString
        ): _*
      ) {
        def query = table.filter(condition).groupBy("i").agg(count("*"), sum("id"), min("s"))
        val expected = adaptive(false)(sorted(query))
        val Seq(filter) = filters(query)
        assert(sorted(query) == expected && expected.nonEmpty)
        assert(filter.metrics("numReorderings").value > 0, "the order did not change")
        assert(filter.metrics("numSampledRows").value > 10000)
      }
    }

  for (compiler <- Seq("janino", "jdk"))
    test(s"compiles with $compiler, subexpressions that conjuncts share among it") {
      withConf(quick :+ ("spark.sql.codegen.compiler" -> compiler): _*) {
        def query =
          table.filter(
            "upper(s) LIKE '%9%7%' AND i > 20 AND upper(s) > 'NAME-2' AND (d > 5 OR i < 30) AND substring(upper(s), 6) <> '97'"
          )
        assert(sorted(query) == adaptive(false)(sorted(query)) && filters(query).size == 1)
      }
    }

  test("a conjunct guards its own parts against errors, though they stand in it twice") {
    withConf(quick :+ ("spark.sql.ansi.enabled" -> "true"): _*) {
      val divided =
        table.filter("((i <> 0 AND 100 / i > 20) OR (i <> 0 AND 100 / i < 2)) AND s LIKE '%9%7%' AND d > 5")
      assert(divided.count() > 0)
    }
  }

  test("metrics count rows in and out") {
    val query = table.filter(condition)
    val passed = query.count()
    val Seq(filter) = filters(table.filter(condition))
    assert(filter.metrics("numInputRows").value == 200000 && filter.metrics("numOutputRows").value == passed)
  }

  test("a plan without an exchange, which AQE does not enter, gets the filter") {
    assert(filters(table.filter(condition).select("id")).size == 1)
  }

  test("off, and for a filter of one conjunct, Spark's own filter stays") {
    adaptive(false)(assert(filters(table.filter(condition)).isEmpty))
    val single = executed(table.filter("i > 20"))
    assert(collect(single) { case f: FilterExec => f }.size == 1 && collect(single) {
      case f: AdaptiveFilter => f
    }.isEmpty)
  }

  test("columns that the condition proves not null are not null above") {
    val query = table.filter("i > 20 AND s LIKE '%9%7%'")
    val Seq(filter) = filters(query)
    assert(filter.output.filterNot(_.nullable).map(_.name).toSet == Set("i", "s"))
    assert(query.select(expr("i + 1")).collect().forall(!_.isNullAt(0)))
  }

  test("EXPLAIN shows the operator before the query runs, with its conjuncts") {
    val query = table.filter("CAST(s AS INT) > 3 AND i > 20").groupBy("i").count()
    val explained = query.queryExecution.explainString(FormattedMode)
    assert(
      explained.contains("AdaptiveFilter") && "Conjuncts.*may throw".r.findFirstIn(explained).isDefined,
      explained
    )
  }

  test("equal subplans are still computed once") {
    withConf("spark.sql.autoBroadcastJoinThreshold" -> "-1") {
      val side = table.filter(condition).groupBy("i").agg(sum("id").as("total"))
      val plan = executed(side.as("a").join(side.as("b"), col("a.i") === col("b.i")))
      assert(collectWithSubqueries(plan) { case r: ReusedExchangeExec => r }.nonEmpty)
    }
  }

  for (wholeStage <- Seq("true", "false"))
    test(
      s"a conjunct that is not deterministic sees the rows that it sees in Spark (generated code $wholeStage)"
    ) {
      withConf(quick :+ ("spark.sql.codegen.wholeStage" -> wholeStage): _*) {
        def query =
          table.filter("i > 20 AND s LIKE '%9%' AND rand(5) > 0.5 AND d > 5 AND dt > DATE '2020-06-01'")
        assert(sorted(query) == adaptive(false)(sorted(query)))
      }
    }

  for (errors <- Seq("guarded", "exact"))
    test(s"$errors: a conjunct that throws on rows its predecessors drop does not throw") {
      withConf(quick ++
        Seq("spark.sql.ansi.enabled" -> "true", "spark.sql.adaptiveFilter.errors" -> errors): _*) {
        def query = table.filter(
          "s LIKE '%9%7%' AND i <> 0 AND i IS NOT NULL AND 1000 / i > 20 AND dt > DATE '2020-06-01' AND d > 5"
        )
        assert(sorted(query) == adaptive(false)(sorted(query)))
      }
    }

  test("exact: an error that the written order raises is raised; guarded: it may disappear") {
    def query = table.filter("i >= 0 AND 1 / (i - 50) < 9 AND s LIKE '%z%z%'").count()
    withConf(quick :+ ("spark.sql.ansi.enabled" -> "true"): _*) {
      withConf(
        "spark.sql.adaptiveFilter.errors" -> "exact"
      )(raises[ArithmeticException](query))
      adaptive(false)(raises[ArithmeticException](query))
    }
  }

  test("exact: an error of what Spark evaluates once, and before the rest of its conjunct, is raised") {
    def query = table.filter(
      "(s LIKE 'name%' OR CAST(s AS INT) > 1 OR CAST(s AS INT) < 0) AND (dt > DATE '2020-06-01' OR s LIKE '%z%')"
    ).count()
    withConf(quick :+ ("spark.sql.ansi.enabled" -> "true"): _*) {
      val found = for (errors <- Seq("guarded", "exact"))
        yield withConf("spark.sql.adaptiveFilter.errors" -> errors)(scala.util.Try(query))
      val expected = adaptive(false)(scala.util.Try(query))
      val once = SharedSubexpressionsShim.sharesSubexpressions(spark.sessionState.conf)
      assert(found.map(_.isFailure) == Seq(false, once) && expected.isFailure == once)
    }
  }

  test("columns computed below the filter, which may throw, leave it to Spark") {
    withConf(quick :+ ("spark.sql.ansi.enabled" -> "true"): _*) {
      table.createOrReplaceTempView("t")
      val grouped =
        "SELECT id % 2000 k, sum(id) / sum(CASE WHEN id % 2 = 0 THEN 0 ELSE 1 END) r, sum(id % 2) d FROM t GROUP BY id % 2000"
      def having = spark.sql(s"SELECT * FROM ($grouped) WHERE d > 0 AND r > 20")
      assert(sorted(having) == adaptive(false)(sorted(having)) && filters(having).isEmpty)
      val passed = spark.sql(
        "SELECT * FROM (SELECT i, sum(id) n, max(s) m FROM t GROUP BY i) WHERE n > 20 AND m > 'name-2' AND i > 3"
      )
      assert(filters(passed).nonEmpty)
    }
  }

  test("a condition that is left to Spark is logged as Spark would show it") {
    val logged = mutable.Buffer.empty[String]
    val appender = new AbstractAppender("logged", null, null, true, Property.EMPTY_ARRAY) {
      override def append(event: LogEvent): Unit = logged += event.getMessage.getFormattedMessage
    }
    val name = "io.adaptivespark.filter.exec.ReplaceFilter"
    val logger = LogManager.getLogger(name).asInstanceOf[Logger]
    Configurator.setLevel(name, Level.INFO)
    appender.start()
    logger.addAppender(appender)
    try
      withConf("spark.sql.adaptiveFilter.verbose" -> "true", "spark.sql.redaction.string.regex" -> "20") {
        table.createOrReplaceTempView("t")
        spark.sql(
          "SELECT * FROM (SELECT i, sum(id) + 1 n, max(s) m FROM t GROUP BY i) WHERE n > 20 AND m > 'name-20'"
        )
          .queryExecution.executedPlan
      }
    finally {
      logger.removeAppender(appender)
      Configurator.setLevel(name, Level.WARN)
    }
    assert(logged.exists(_.contains("name-*********(redacted)")) && !logged.exists(_.contains("20")))
  }

  for (wholeStage <- Seq("true", "false"))
    test(
      s"a guard written after a conjunct keeps it from throwing where Spark evaluates it first (generated code $wholeStage)"
    ) {
      withConf(quick ++
        Seq("spark.sql.ansi.enabled" -> "true", "spark.sql.codegen.wholeStage" -> wholeStage): _*) {
        def query =
          table.filter("CAST(coalesce(substring(s, 6), 'abc') AS INT) > 50 AND s IS NOT NULL AND i > 3")
        val expected = adaptive(false)(scala.util.Try(sorted(query)).toOption)
        assert(expected.isDefined == wholeStage.toBoolean)
        expected.foreach(rows => assert(sorted(query) == rows))
      }
    }

  test("a conjunct with a scalar subquery is evaluated with its result") {
    withConf(quick: _*) {
      table.createOrReplaceTempView("t")
      def query = spark.sql(
        "SELECT id FROM t WHERE s LIKE '%9%7%' AND i > (SELECT avg(i) FROM t) AND dt > DATE '2020-06-01'"
      )
      assert(sorted(query) == adaptive(false)(sorted(query)))
    }
  }

  for (count <- Seq(8, 30, 200))
    test(s"$count conjuncts compile and keep their rows") {
      withConf(quick :+ ("spark.sql.ansi.enabled" -> "false"): _*) {
        val many = (1 to count).map(k => s"(id % ${k + 1} <> ${k + 5} OR i > $k)").mkString(" AND ")
        assert(filters(few.filter(many)).size == 1)
        assert(sorted(few.filter(many)) == adaptive(false)(sorted(few.filter(many))))
      }
    }

  test("conjuncts that are too long for the child's loop compile, and leave their columns to what follows") {
    withConf(quick ++ Seq(
      "spark.sql.codegen.fallback" -> "false",
      "spark.sql.parquet.enableVectorizedReader" -> "false"
    ): _*) {
      val long = (1 to 100).map(k => s"s NOT RLIKE '^x[$k]+y$$'").mkString(" AND ")
      def query = few.filter(s"$long AND i > 20").selectExpr("i + 1", "s")
      assert(sorted(query) == adaptive(false)(sorted(query)) && filters(query).size == 1)
    }
  }

  test("a LIMIT that stops early is honoured") {
    assert(table.filter(condition).limit(3).collect().length == 3)
  }
}
