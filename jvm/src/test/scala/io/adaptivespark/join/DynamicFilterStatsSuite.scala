package io.adaptivespark.join

import scala.concurrent.duration._

import org.apache.spark.sql.Row
import org.scalatest.concurrent.Eventually.{eventually, timeout}
import org.scalatest.funsuite.AnyFunSuite

import io.adaptivespark.stats.PruningMemory

class DynamicFilterStatsSuite extends AnyFunSuite with JoinTables {

  test("what a session hides of predicates is hidden in dynamic_filter_stats()") {
    withConf("spark.sql.redaction.string.regex" -> "12345", "spark.sql.adaptiveFilter.queryTag" -> "hidden")(
      onAndOff("SELECT count(*) FROM fact JOIN dim ON id = k + 12345 - 12345 WHERE dep = 7")
    )
    val rows = spark.sql("SELECT * FROM dynamic_filter_stats() WHERE query_tag = 'hidden'").collect().toSeq
    assert(rows.nonEmpty && !rows.exists(_.toString.contains("12345")), rows)
  }

  test("each filter and each refusal is a row of dynamic_filter_stats()") {
    withConf(
      "spark.sql.adaptiveFilter.queryTag" -> "model.x"
    )(onAndOff("SELECT count(*) FROM fact JOIN dim ON id = k WHERE dep = 7"))
    withConf(
      "spark.sql.adaptiveFilter.queryTag" -> "model.y"
    )(onAndOff("SELECT count(*) FROM fact JOIN dim ON id = k"))
    def rows(tag: String) =
      spark.sql(s"SELECT * FROM dynamic_filter_stats() WHERE query_tag = '$tag'").collect().toSeq
    val Seq(filtered) = rows("model.x")
    assert(filtered.getAs[String]("verdict") == "filtered" && filtered.getAs[Long]("build_keys") == 10)
    assert(filtered.getAs[String]("kind") == "values" && filtered.getAs[Int]("ranges") == 10)
    assert(filtered.getAs[Long]("rows_read") < 200000 && filtered.getAs[Long]("bytes_total") > 0, filtered)
    assert(
      rows("model.y").map(_.getAs[String]("verdict")).forall(_.startsWith("nothing filters the build side"))
    )
    assert(rows("model.y").nonEmpty)
  }

  for (aqe <- Seq("true", "false")) test(s"row groups are counted where that is asked for, AQE $aqe") {
    val query = "SELECT count(*), sum(id) FROM fact JOIN dim ON id = k WHERE dep = 7"
    Seq("true", "false").foreach { verbose =>
      withConf(
        "spark.sql.dynamicFilter.verbose" -> verbose,
        "spark.sql.adaptiveFilter.queryTag" -> s"groups.$aqe.$verbose"
      )(
        onAndOff(query, "spark.sql.adaptive.enabled" -> aqe)
      )
    }
    def groups(verbose: Boolean) = spark.sql(
      s"SELECT row_groups, row_groups_read FROM dynamic_filter_stats() WHERE query_tag = 'groups.$aqe.$verbose'"
    ).collect().toSeq
    val Seq(counted) = groups(verbose = true)
    assert(groups(verbose = false).map(_.isNullAt(0)) == Seq(true))
    assert(counted.getLong(0) > 20 && counted.getLong(1) == 10, counted)
  }

  private def stats(tag: String): Seq[Row] =
    spark.sql(s"SELECT * FROM dynamic_filter_stats() WHERE query_tag = '$tag'").collect().toSeq

  private def tagged(tag: String, text: String, conf: (String, String)*): Seq[Row] = {
    withConf(conf :+ ("spark.sql.adaptiveFilter.queryTag" -> tag): _*)(onAndOff(text))
    eventually(timeout(10.seconds))(assert(stats(tag).forall(row =>
      row.isNullAt(row.fieldIndex("rows_read")) ||
        !row.isNullAt(row.fieldIndex("kept"))
    )))
    stats(tag)
  }

  private def verdicts(rows: Seq[Row]): Seq[String] = rows.map(_.getAs[String]("verdict"))

  for (table <- Seq("fact", "fact_orc", "fact_in_memory", "fact_p"))
    test(s"tells how many rows $table has, and which share of them was kept") {
      val Seq(row) = tagged(
        s"rows.$table",
        s"SELECT count(*), sum(id) FROM $table JOIN dim ON id = k WHERE dep + 1 = 8",
        noBroadcast
      )
      assert(math.abs(row.getAs[Long]("rows_total") - 200000) < 30000, row)
      assert(math.abs(row.getAs[Double]("kept") - 10 / 200000.0) < 1e-5, row)
    }

  // Nearly all rows of the large table have a partner.
  private val keepsMost =
    "SELECT count(*), sum(id) FROM fact JOIN (SELECT id AS k FROM fact_orc WHERE g + id >= 7) ON id = k"

  test("a filter that kept most rows is not waited for again, until it is time to look again") {
    val learned = (0 to PruningMemory.Patience + 1).map(i => tagged(s"most.$i", keepsMost, noBroadcast))
    assert(verdicts(learned.head) == Seq("filtered"))
    learned.slice(1, 1 + PruningMemory.Patience).foreach(rows =>
      assert(verdicts(rows).forall(_.startsWith("an earlier run of it kept 100 % of the rows")), rows)
    )
    assert(verdicts(learned.last) == Seq("filtered"))
  }

  test("constants make no other filter, a hint asks for it, and a broadcast is not waited for") {
    val other = keepsMost.replace("7", "6")
    assert(verdicts(tagged("other.1", other, noBroadcast)).exists(_.startsWith("an earlier run")))
    val hinted = other.replaceFirst("SELECT", "SELECT /*+ DYNAMIC_FILTER(fact) */")
    assert(verdicts(tagged("other.2", hinted, noBroadcast)).toSet == Set("filtered"))
    assert(verdicts(tagged("other.3", other, "spark.sql.autoBroadcastJoinThreshold" -> "1g")) ==
      Seq("filtered"))
  }

  test("what an earlier run learned counts as long as nothing newer is known") {
    val Seq(row) = tagged("prior.1", keepsMost.replace(">=", ">"), noBroadcast)
    PruningMemory.clear()
    def prior(rows: Int) = {
      val signature = row.getAs[String]("signature")
      "spark.sql.adaptiveFilter.prior" ->
        s"""{"version": 1, "predicates": {"$signature": [$rows, $rows, 0]}}"""
    }
    val text = keepsMost.replace(">=", ">")
    assert(verdicts(tagged("prior.2", text, noBroadcast, prior(1000))).exists(_.startsWith("an earlier run")))
    assert(verdicts(tagged("prior.3", text, noBroadcast, prior(62))) == Seq("filtered"))
  }
}
