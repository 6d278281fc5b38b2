package io.adaptivespark.join

import java.nio.file.Files

import org.apache.spark.sql.execution.{FileSourceScanExec, FilterExec, SparkPlan, SubqueryExec}
import org.apache.spark.sql.execution.datasources.v2.BatchScanExec
import org.scalatest.funsuite.AnyFunSuite

import io.adaptivespark.SparkSuite
import io.adaptivespark.filter.{AdaptiveColumnarFilterExec, AdaptiveFilter}

class DynamicFilterSuite extends AnyFunSuite with SparkSuite {

  private lazy val directory = {
    val path = Files.createTempDirectory("dynamic").toString
    val small = Map("parquet.block.size" -> "65536", "parquet.page.size" -> "4096")
    spark.conf.set("spark.sql.parquet.outputTimestampType", "TIMESTAMP_MICROS")
    spark.range(0, 200000, 1, 2).selectExpr(
      "id",
      "cast(id as int) AS i",
      "cast(id as decimal(12, 2)) AS d",
      "concat('key-', lpad(id, 8, '0')) AS s",
      "date_add(DATE '2000-01-01', cast(id div 20 as int)) AS dt",
      "timestamp_seconds(id * 60) AS ts",
      "id % 7 AS g"
    ).write.options(small).parquet(s"$path/fact")
    spark.range(0, 1000, 1, 1).selectExpr(
      "id * 200 AS k",
      "cast(id * 200 as int) AS ki",
      "cast(id * 200 as decimal(12, 2)) AS kd",
      "concat('key-', lpad(id * 200, 8, '0')) AS ks",
      "date_add(DATE '2000-01-01', cast(id * 10 as int)) AS kdt",
      "timestamp_seconds(id * 200 * 60) AS kts",
      "id % 100 AS dep",
      "if(id % 3 = 0, null, id % 7) AS g"
    ).write.parquet(s"$path/dim")
    spark.read.parquet(s"$path/fact").createOrReplaceTempView("fact")
    spark.read.parquet(s"$path/fact").write.option(
      "orc.stripe.size",
      "65536"
    ).option("orc.row.index.stride", "1000")
      .orc(s"$path/orc")
    spark.read.orc(s"$path/orc").createOrReplaceTempView("fact_orc")
    // Another column, lest Spark take the cached rows for those of the table itself.
    spark.sql("CACHE TABLE fact_in_memory AS SELECT *, id + 1 AS next FROM fact")
    spark.read.parquet(s"$path/fact").selectExpr(
      "*",
      "id div 20000 * 20000 AS p"
    ).write.partitionBy("p").parquet(s"$path/fact_p")
    spark.read.parquet(s"$path/fact_p").createOrReplaceTempView("fact_p")
    spark.read.parquet(s"$path/fact").repartition(4).write.parquet(s"$path/unordered")
    spark.read.parquet(s"$path/unordered").createOrReplaceTempView("unordered")
    spark.read.parquet(s"$path/dim").createOrReplaceTempView("dim")
    path
  }

  private def dynamic[T](on: Boolean)(body: => T): T = {
    directory
    withConf("spark.sql.dynamicFilter.enabled" -> on.toString)(body)
  }

  private def filters(plan: SparkPlan): Seq[DynamicFilterExec] =
    collectWithSubqueries(plan) { case filter: DynamicFilterExec => filter }

  private def rowsOf(plan: SparkPlan, table: String): Long = collectWithSubqueries(plan) {
    case scan: FileSourceScanExec if scan.relation.location.rootPaths.head.getName == table => scan
  }.distinctBy(_.metrics("numOutputRows").id).map(_.metrics("numOutputRows").value).sum

  private val strategies = Seq(
    "broadcast" -> Seq("spark.sql.autoBroadcastJoinThreshold" -> "10MB"),
    "sort merge" -> Seq("spark.sql.autoBroadcastJoinThreshold" -> "-1"),
    "shuffled hash" -> Seq(
      "spark.sql.autoBroadcastJoinThreshold" -> "-1",
      "spark.sql.join.preferSortMergeJoin" -> "false",
      "spark.sql.join.forceApplyShuffledHashJoin" -> "true"
    )
  )

  for ((strategy, conf) <- strategies; aqe <- Seq("true", "false")) {
    def check(text: String, most: Long): Unit = withConf(conf :+ ("spark.sql.adaptive.enabled" -> aqe): _*) {
      val expected = dynamic(on = false)(sorted(spark.sql(text)))
      dynamic(on = true) {
        val query = spark.sql(text)
        assert(sorted(query) == expected)
        val plan = query.queryExecution.executedPlan
        assert(filters(plan).nonEmpty, plan)
        assert(rowsOf(plan, "fact") <= most, plan)
        assert(rowsOf(plan, "dim") == 1000, plan)
      }
    }

    for (
      key <- Seq("id = k", "i = ki", "d = kd", "s = ks", "dt = kdt", "ts = kts", "i = k", "i = kd", "id = kd")
    ) test(s"prunes $key, $strategy join, AQE $aqe") {
      check(s"SELECT count(*), sum(fact.id), max(s) FROM fact JOIN dim ON $key WHERE dep = 7", most = 100000)
    }

    test(s"an empty build side reads nothing, $strategy join, AQE $aqe") {
      withConf(conf :+ ("spark.sql.adaptive.enabled" -> aqe): _*)(dynamic(on = true) {
        val query = spark.sql("SELECT count(*) FROM fact JOIN dim ON id = k WHERE dep + ki = -1")
        assert(sorted(query) == Seq("[0]"))
        assert(rowsOf(query.queryExecution.executedPlan, "fact") == 0, query.queryExecution.executedPlan)
      })
    }
  }

  private def onAndOff(text: String, conf: (String, String)*): SparkPlan =
    withConf(conf :+ ("spark.sql.dynamicFilter.minProbeSize" -> "0"): _*) {
      val expected = dynamic(on = false)(sorted(spark.sql(text)))
      dynamic(on = true) {
        val query = spark.sql(text)
        assert(sorted(query) == expected)
        query.queryExecution.executedPlan
      }
    }

  private val noBroadcast = "spark.sql.autoBroadcastJoinThreshold" -> "-1"

  for (
    aqe <- Seq("true", "false"); (strategy, conf) <- strategies.take(2);
    key <- Seq("id = k", "s = ks", "d = kd")
  )
    test(s"prunes stripes of ORC by $key, $strategy, AQE $aqe") {
      val plan = onAndOff(
        s"SELECT count(*), sum(id) FROM fact_orc JOIN dim ON $key WHERE dep = 7",
        conf :+ ("spark.sql.adaptive.enabled" -> aqe): _*
      )
      assert(filters(plan).nonEmpty && rowsOf(plan, "orc") < 150000, plan)
    }

  for (aqe <- Seq("true", "false"); (strategy, conf) <- strategies.take(2))
    test(s"prunes the batches of a cached table, $strategy, AQE $aqe") {
      val plan = onAndOff(
        "SELECT count(*), sum(id) FROM fact_in_memory JOIN dim ON id = k WHERE dep + 1 = 8 AND k < 50000",
        conf :+ ("spark.sql.adaptive.enabled" -> aqe): _*
      )
      val Seq(filter) = filters(plan).distinctBy(_.metrics("numKeys").id)
      val scan = collectLeaves(filter.child).head
      assert(scan.metrics("numOutputRows").value <= 60000, plan)
    }

  for (aqe <- Seq("true", "false")) test(s"prunes partitions where Spark does not, AQE $aqe") {
    val plan = onAndOff(
      "SELECT count(*), sum(id) FROM fact_p JOIN dim ON p = k WHERE dep = 0 AND k < 50000",
      "spark.sql.optimizer.dynamicPartitionPruning.enabled" -> "false",
      noBroadcast,
      "spark.sql.adaptive.enabled" -> aqe
    )
    assert(filters(plan).nonEmpty && rowsOf(plan, "fact_p") <= 60000, plan)
  }

  for (aqe <- Seq("true", "false"))
    test(s"leaves partitions to Spark's own pruning where that is at work, AQE $aqe") {
      val text =
        "SELECT count(*), sum(id) FROM fact_p JOIN dim ON p = k AND s > ks WHERE dep = 0 AND k < 50000"
      val plan = onAndOff(text, "spark.sql.adaptive.enabled" -> aqe)
      assert(filters(plan).isEmpty && rowsOf(plan, "fact_p") <= 60000, plan)
      assert(rowsOf(plan, "dim") == 1000, plan)
    }

  for (aqe <- Seq("true", "false"))
    test(s"rows are dropped before a shuffle where the file can skip nothing, AQE $aqe") {
      val plan = onAndOff(
        "SELECT count(*), sum(id) FROM unordered JOIN dim ON id = k WHERE dep = 7",
        noBroadcast,
        "spark.sql.adaptive.enabled" -> aqe
      )
      assert(rowsOf(plan, "unordered") == 200000, plan)
      val filtered = collect(plan) {
        case f: AdaptiveFilter if f.condition.exists(_.isInstanceOf[InDynamicKeys]) => f
        case f: FilterExec if f.condition.exists(_.isInstanceOf[InDynamicKeys]) => f
      }
      assert(filtered.map(_.metrics("numOutputRows").value) == Seq(10), plan)
    }

  for (aqe <- Seq("true", "false"))
    test(s"an exchange that another part of the query reads is not filtered, AQE $aqe") {
      val plan = onAndOff(
        """WITH f AS (SELECT id, s FROM fact DISTRIBUTE BY id)
          |SELECT count(*), sum(id) FROM f JOIN dim ON id = k WHERE dep = 7 UNION ALL
          |SELECT count(*), sum(id) FROM f JOIN dim ON id = k""".stripMargin,
        noBroadcast,
        "spark.sql.adaptive.enabled" -> aqe
      )
      assert(filters(plan).isEmpty && rowsOf(plan, "fact") == 200000, plan)
    }

  for (aqe <- Seq("true", "false"); (strategy, conf) <- strategies) {
    def numbers(on: String): (Seq[Long], SparkPlan) = {
      directory
      spark.read.format(classOf[PartitionedNumbers].getName).load().createOrReplaceTempView("numbers")
      PartitionedNumbers.told.clear()
      val plan = onAndOff(
        s"SELECT count(*), sum(id) FROM numbers JOIN dim ON $on WHERE dep = 7 AND k < 50000",
        conf :+ ("spark.sql.adaptive.enabled" -> aqe): _*
      )
      (
        collectWithSubqueries(plan) { case scan: BatchScanExec => scan }
          .distinctBy(_.metrics("numOutputRows").id).map(_.metrics("numOutputRows").value),
        plan
      )
    }

    test(s"a source that takes filters while a query runs reads fewer partitions, $strategy, AQE $aqe") {
      val (rows, plan) = numbers("id = k")
      assert(rows == Seq(60000), plan)
      assert(filters(plan).isEmpty == (strategy == "broadcast"), plan)
    }

    test(s"a source is not told of other columns, $strategy, AQE $aqe") {
      val (rows, plan) = numbers("other = k")
      assert(rows == Seq(200000) && filters(plan).isEmpty && PartitionedNumbers.told.isEmpty, plan)
    }
  }

  private val join = "count(*) FROM fact f JOIN dim ON f.id = dim.k WHERE dep = 7"

  for (aqe <- Seq("true", "false")) {
    def planned(text: String): Seq[DynamicFilterExec] =
      withConf("spark.sql.adaptive.enabled" -> aqe)(filters(onAndOffHinted(text)))

    test(s"NO_DYNAMIC_FILTER leaves a relation alone, AQE $aqe") {
      assert(planned(s"SELECT $join").nonEmpty)
      Seq("", "(f)", "(F)", "(f, dim)").foreach(of =>
        assert(planned(s"SELECT /*+ NO_DYNAMIC_FILTER$of */ $join").isEmpty, of)
      )
      assert(planned(s"SELECT /*+ NO_DYNAMIC_FILTER(dim) */ $join").nonEmpty)
    }

    test(s"NO_DYNAMIC_FILTER of a query or a CTE reaches the tables in it, AQE $aqe") {
      val of = "/*+ NO_DYNAMIC_FILTER(x) */ count(*)"
      val body = "SELECT id + 0 AS z, id AS other, g FROM fact WHERE g > 2"
      assert(planned(s"SELECT $of FROM ($body) x JOIN dim ON x.other = dim.k WHERE dep = 7").isEmpty)
      assert(
        planned(s"WITH x AS ($body) SELECT $of FROM x JOIN dim ON x.other = dim.k WHERE dep = 7").isEmpty
      )
      assert(planned(
        s"WITH x AS ($body) SELECT count(*) FROM x JOIN dim ON x.other = dim.k WHERE dep = 7"
      ).nonEmpty)
      assert(planned(
        s"SELECT $of FROM ($body UNION ALL $body) x JOIN dim ON x.other = dim.k WHERE dep = 7"
      ).isEmpty)
    }

    test(s"DYNAMIC_FILTER filters where the session does not, and small scans, AQE $aqe") {
      withConf("spark.sql.dynamicFilter.minProbeSize" -> "1g") {
        assert(planned(s"SELECT $join").isEmpty)
        assert(planned(s"SELECT /*+ DYNAMIC_FILTER(f) */ $join").nonEmpty)
      }
      withConf("spark.sql.dynamicFilter.enabled" -> "false") {
        assert(planned(s"SELECT $join").isEmpty)
        assert(planned(s"SELECT /*+ DYNAMIC_FILTER(f) */ $join").nonEmpty)
      }
    }
  }

  /** The plan of a query with hints, whose rows are those of the query without. */
  private def onAndOffHinted(text: String): SparkPlan = {
    directory
    val expected = withConf("spark.sql.dynamicFilter.enabled" -> "false")(
      sorted(spark.sql(text.replaceAll("/\\*\\+.*?\\*/", "")))
    )
    val query = spark.sql(text)
    assert(sorted(query) == expected)
    query.queryExecution.executedPlan
  }

  test("a hint that is wrong fails the query, one without effect is a warning") {
    directory
    def fault(hint: String) = intercept[Exception](spark.sql(s"SELECT /*+ $hint */ $join")).getMessage
    assert(fault("DYNAMIC_FILTER(nobody)").contains(
      """DYNAMIC_FILTER: "nobody" is not a relation of this SELECT's FROM. Relations: f, dim."""
    ))
    assert(fault("NO_DYNAMIC_FILTER('f')").contains(
      "is not a relation's name. Write it as NO_DYNAMIC_FILTER(relation, …), without quotes."
    ))
    assert(fault("DYNAMIC_FILTER(f), NO_DYNAMIC_FILTER").contains("contradict each other over f"))
    assert(warnings(spark.sql("SELECT /*+ DYNAMIC_FILTER */ * FROM fact").collect()).exists(
      _.contains("DYNAMIC_FILTER has no effect on fact: no ON or WHERE of its SELECT says")
    ))
    assert(warnings(
      spark.sql("SELECT /*+ DYNAMIC_FILTER(f) */ count(*) FROM fact f LEFT JOIN dim ON id = k").collect()
    ).exists(
      _.contains("needs all rows of this side")
    ))
  }

  for (aqe <- Seq("true", "false"))
    test(s"Spark's pruning of partitions goes on where its build side has a filter of ours, AQE $aqe") {
      val text =
        """SELECT /*+ BROADCAST(d) */ count(*), sum(id) FROM fact_p JOIN
          |(SELECT DISTINCT d1.k FROM dim d1 JOIN dim d2 ON d1.ki = d2.ki WHERE d2.dep = 0 AND d2.k < 50000) d ON p = d.k""".stripMargin
      val plan = onAndOff(text, "spark.sql.adaptive.enabled" -> aqe)
      assert(filters(plan).nonEmpty && rowsOf(plan, "fact_p") <= 60000, plan)
      assert(collectWithSubqueries(plan) { case subquery: SubqueryExec => subquery }.isEmpty, plan)
    }

  for (aqe <- Seq("true", "false"))
    test(s"what functions on objects return may differ when a shuffle is computed again, AQE $aqe") {
      directory
      val long = org.apache.spark.sql.Encoders.scalaLong
      spark.table("dim").where("dep = 7").select("k").as[Long](long).map((k: Long) => k)(long).toDF("k")
        .createOrReplaceTempView("opaque")
      val text = "SELECT count(*), sum(id) FROM fact JOIN opaque ON id = k"
      val conf = "spark.sql.adaptive.enabled" -> aqe
      assert(filters(onAndOff(text, noBroadcast, conf)).isEmpty)
      assert(filters(onAndOff(text, conf)).nonEmpty)
    }

  for (aqe <- Seq("true", "false"); (strategy, conf) <- strategies.take(2))
    test(s"a chain of joins is planned in time, $strategy, AQE $aqe") {
      val joins = (1 to 12).map { i =>
        val key = Seq("id", "i", "s")(i % 3)
        s"JOIN (SELECT * FROM fact WHERE g > -$i) f$i ON f${i - 1}.$key = f$i.$key"
      }
      val text = s"SELECT count(*), sum(f12.id) FROM fact f0 ${joins.mkString(" ")} WHERE f0.id % 5000 = 7"
      val plan = onAndOff(text, conf :+ ("spark.sql.adaptive.enabled" -> aqe): _*)
      assert(filters(plan).nonEmpty, plan)
    }

  for (aqe <- Seq("true", "false"); (strategy, conf) <- strategies.take(2))
    test(s"a join that only asks whether there is a partner keeps all rows, $strategy, AQE $aqe") {
      val text =
        """SELECT count(*), sum(id) FROM fact
          |WHERE id IN (SELECT k FROM dim WHERE dep = 7) OR i IN (SELECT ki FROM dim WHERE dep = 8)""".stripMargin
      onAndOff(text, conf :+ ("spark.sql.adaptive.enabled" -> aqe): _*)
    }

  for (aqe <- Seq("true", "false"))
    test(s"a filter above a pruned scan still works on its batches, AQE $aqe") {
      val plan = onAndOff(
        "SELECT count(*), sum(id) FROM fact JOIN dim ON id = k WHERE dep = 7 AND fact.g > 1 AND s LIKE '%1%'",
        noBroadcast,
        "spark.sql.adaptive.enabled" -> aqe
      )
      val batches = collect(plan) { case filter: AdaptiveColumnarFilterExec => filter }
        .filter(filter => collectFirst(filter) { case scan: DynamicFilterExec => scan }.isDefined)
      assert(batches.size == 1 && batches.head.condition.exists(_.isInstanceOf[InDynamicKeys]), plan)
    }

  for (aqe <- Seq("true", "false"); (strategy, conf) <- strategies; equal <- Seq(true, false))
    test(s"a source is a build side if it is equal to itself, equal $equal, $strategy, AQE $aqe") {
      directory
      spark.read.format(classOf[PartitionedNumbers].getName).option("equal", equal.toString).load()
        .createOrReplaceTempView("u")
      val hint = if (strategy == "broadcast") "DYNAMIC_FILTER(fact), BROADCAST(u)" else "DYNAMIC_FILTER(fact)"
      val text =
        s"SELECT /*+ $hint */ count(*), sum(fact.id) FROM fact JOIN u ON fact.id = u.id WHERE u.other < 10"
      withConf(conf :+ ("spark.sql.adaptive.enabled" -> aqe): _*) {
        val plan = onAndOffHinted(text)
        // A stage that is there already is the same for all.
        assert(filters(plan).nonEmpty == (equal || strategy == "broadcast" && aqe == "true"), plan)
        val read =
          collectWithSubqueries(plan) { case scan: BatchScanExec => scan }.map(_.metrics("numOutputRows"))
        assert(read.distinctBy(_.id).map(_.value).sum == 200000, plan)
      }
    }

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

  test("EXPLAIN shows the filter, and its build side only where the join reads it") {
    dynamic(on = true) {
      val shown = spark.sql(
        "SELECT count(*) FROM fact JOIN dim ON id = k WHERE dep = 7"
      ).queryExecution.executedPlan.toString
      assert(shown.contains("DynamicFilter id") && "BroadcastExchange".r.findAllIn(shown).size == 1, shown)
    }
  }
}
