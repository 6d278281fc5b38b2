package io.adaptivespark.aqe

import java.nio.file.Files

import org.apache.spark.sql.Row
import org.apache.spark.sql.functions._
import org.scalatest.funsuite.AnyFunSuite

import io.adaptivespark.SparkSuite
import io.adaptivespark.history.PlanHistory
import io.adaptivespark.history.label.QueryLabels

class RecordPlanChangesSuite extends AnyFunSuite with SparkSuite {
  private val folder = Files.createTempDirectory("plans").toString

  override protected def beforeAll(): Unit = {
    super.beforeAll()
    spark.range(0, 100000, 1, 4).selectExpr("id", "id % 1000 k", "if(id < 90000, 0, id) skewed")
      .write.parquet(s"$folder/facts")
    spark.range(0, 100000, 1, 2).selectExpr("id", "concat('name', id) name").write.parquet(s"$folder/names")
    Seq("facts", "names").foreach(name => spark.read.parquet(s"$folder/$name").createOrReplaceTempView(name))
  }

  private def changes(tag: String)(settings: (String, String)*)(query: String): Seq[Row] = {
    withConf(("spark.sql.adaptiveFilter.queryTag" -> tag) +: settings: _*)(spark.sql(query).collect())
    spark.sql("SELECT * FROM adaptive_plan_stats()").filter(col("query_tag") === tag)
      .select("kind", "node", "tables", "planned", "actual").collect().toSeq
  }

  test("partitions that are coalesced") {
    val found =
      changes("coalesced")("spark.sql.shuffle.partitions" -> "10")("SELECT k, count(*) FROM facts GROUP BY k")
    assert(found == Seq(Row("coalesced", "Exchange", s"file:$folder/facts", "10", "1")))
  }

  test("a join that turns out to be small enough for a broadcast, and what made it look large") {
    val found = changes("join")(
      "spark.sql.autoBroadcastJoinThreshold" -> "100KB",
      "spark.sql.dynamicFilter.enabled" -> "false"
    )("SELECT count(*) FROM facts f JOIN names n ON f.id = n.id WHERE substr(n.name, 1, 7) = 'name123'")
    assert(found.filter(_.getString(0) == "join") == Seq(Row(
      "join",
      "BroadcastHashJoin",
      s"file:$folder/facts, file:$folder/names",
      "SortMergeJoin",
      "BroadcastHashJoin"
    )))
    val Seq(rows) = found.filter(row => row.getString(0) == "rows" && row.getString(2).endsWith("names"))
    assert(rows.getString(4) == "111" && rows.getString(3).toLong > 1110)
  }

  test("skewed partitions that are split") {
    val found = changes("split")(
      "spark.sql.autoBroadcastJoinThreshold" -> "-1",
      "spark.sql.dynamicFilter.enabled" -> "false",
      "spark.sql.shuffle.partitions" -> "10",
      "spark.sql.adaptive.skewJoin.skewedPartitionThresholdInBytes" -> "20KB",
      "spark.sql.adaptive.advisoryPartitionSizeInBytes" -> "20KB"
    )("SELECT max(f.id), max(n.name) FROM facts f JOIN names n ON f.skewed = n.id")
    assert(!found.exists(_.getString(0) == "join"))
    val Seq(split) = found.filter(_.getString(0) == "split")
    assert(split.getString(2) == s"file:$folder/facts" && split.getString(3) == "1" &&
      split.getString(4).toInt > 1)
  }

  test("expectations that were right, and queries without adaptive execution, leave nothing") {
    assert(changes("right")("spark.sql.shuffle.partitions" -> "1")(
      "SELECT /*+ MERGE(n) */ count(*) FROM facts f JOIN names n ON f.id = n.id"
    ).isEmpty)
    assert(changes("off")("spark.sql.adaptive.enabled" -> "false", "spark.sql.shuffle.partitions" -> "10")(
      "SELECT k, count(*) FROM facts GROUP BY k"
    ).isEmpty)
  }

  test("rows that the query makes itself are of no table, and a reused exchange is of what it reads") {
    val many = Seq("spark.sql.shuffle.partitions" -> "10", "spark.sql.autoBroadcastJoinThreshold" -> "-1")
    val made = changes("made")(many: _*)(
      "SELECT k, count(*) FROM (SELECT explode(sequence(0, 1000)) AS k) GROUP BY k"
    )
    assert(made == Seq(Row("coalesced", "Exchange", "", "10", "1")))
    val twice = changes("twice")(many: _*)(
      "WITH a AS (SELECT k, count(*) n FROM facts GROUP BY k) SELECT x.n, count(*) FROM a x JOIN a y ON x.k = y.k GROUP BY x.n"
    )
    assert(twice.nonEmpty && twice.forall(_.getString(2) == s"file:$folder/facts"), twice)
  }

  test("a directory stands for many, and a cached query for its tables") {
    spark.read.parquet(s"$folder/facts", s"$folder/names").createOrReplaceTempView("both")
    spark.sql("SELECT id, k FROM facts WHERE k > 0").cache().createOrReplaceTempView("cached")
    val tables = Seq("both", "cached").map(name =>
      changes(name)("spark.sql.shuffle.partitions" -> "10")(s"SELECT id, count(*) FROM $name GROUP BY id")
        .map(_.getString(2)).distinct
    )
    assert(tables == Seq(Seq(s"file:$folder/facts and 1 more"), Seq(s"file:$folder/facts")))
  }

  test("a wrong estimate of what Spark broadcasts by either number leaves nothing") {
    val query = "SELECT /*+ MERGE(n) */ count(*) FROM facts f JOIN names n ON f.id = n.id " +
      "WHERE substr(n.name, 1, 7) = 'name123'"
    def wrong(tag: String, threshold: String) = changes(tag)(
      "spark.sql.autoBroadcastJoinThreshold" -> threshold,
      "spark.sql.dynamicFilter.enabled" -> "false"
    )(query).filter(_.getString(0) == "rows")
    assert(wrong("large", "100KB").map(_.getString(4)) == Seq("111"))
    assert(wrong("small", "10MB").isEmpty && wrong("off", "-1").isEmpty)
  }

  private val Wide = "repeat('x', 200) wide"

  /** Rows, estimated and counted, and tables whose statistics may mend it, by a query over `table`. */
  private def wanted(tag: String, threshold: String = "20KB")(subquery: String): Seq[(Boolean, String)] = {
    val labels = Seq(
      "spark.sql.adaptiveFilter.queryTag" -> tag,
      "spark.sql.cbo.enabled" -> "true",
      "spark.sql.autoBroadcastJoinThreshold" -> threshold,
      "spark.sql.dynamicFilter.enabled" -> "false"
    )
    withConf(labels: _*)(spark.sql(
      s"SELECT /*+ MERGE(n) */ count(*), max(n.wide) FROM facts f JOIN ($subquery) n ON f.id = n.id"
    ).collect())
    spark.sql("SELECT * FROM adaptive_plan_stats()")
      .filter(col("query_tag") === tag && col("kind") === "rows" && col("tables").contains("wanted"))
      .select("planned", "actual", "statistics").collect().toSeq
      .map(row => (row.getString(0).toLong > row.getString(1).toLong, row.getString(2)))
  }

  test("statistics are wanted of tables that lack them, and where they are out of date") {
    val name = "spark_catalog.default.wanted"
    spark.range(0, 40000, 1, 2).selectExpr("id", "id % 10000 k", Wide).write
      .option("path", s"$folder/wanted").saveAsTable("wanted")
    try {
      assert(wanted("lacking")("SELECT * FROM wanted WHERE k = 7") == Seq((true, name)))
      assert(wanted("unestimated")("SELECT * FROM wanted WHERE substr(k, 1, 4) = '1234'") == Seq((true, "")))
      spark.sql("ANALYZE TABLE wanted COMPUTE STATISTICS FOR ALL COLUMNS")
      assert(wanted("known")("SELECT * FROM wanted WHERE k = 7") == Nil)
      val windowed =
        "SELECT * FROM (SELECT *, row_number() OVER (PARTITION BY k % 7 ORDER BY id) r FROM wanted) WHERE r = 1"
      assert(wanted("windowed")(windowed).map(_._2).distinct == Seq(""))
      spark.range(0, 600000, 1, 2).selectExpr("id", "id % 10000 k", Wide).write.mode("append")
        .parquet(s"$folder/wanted")
      spark.catalog.refreshTable("wanted")
      assert(wanted("stale")("SELECT * FROM wanted") == Seq((false, name)))
    } finally spark.sql("DROP TABLE wanted")
  }

  test("the history is bounded") {
    for (i <- 1 to PlanHistory.Limit + 5)
      memory.plans.add(PlanHistory.Entry(
        QueryLabels.of(spark.sparkContext, "many", ""),
        "rows",
        Some(i),
        "",
        "",
        "1",
        "2"
      ))
    assert(memory.plans.rows(!_.isOfRun).size == PlanHistory.Limit)
  }
}
