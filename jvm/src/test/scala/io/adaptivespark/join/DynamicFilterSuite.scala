package io.adaptivespark.join

import org.apache.spark.SparkEnv
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.execution.{FileSourceScanExec, FilterExec, InputAdapter, SparkPlan, SubqueryExec}
import org.apache.spark.sql.execution.adaptive.AQEShuffleReadExec
import org.scalatest.funsuite.AnyFunSuite

import io.adaptivespark.Forms
import io.adaptivespark.filter.exec.{AdaptiveColumnarFilterExec, AdaptiveFilter}
import io.adaptivespark.join.exec.{DynamicFilterExec, ReadKeys}
import io.adaptivespark.join.keys.testing.InDynamicKeys

/** Scans that read less by the keys of a join: row groups, stripes, batches, partitions or rows. */
class DynamicFilterSuite extends AnyFunSuite with JoinTables {

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
    ) test(
      s"prunes $key, $strategy join, AQE $aqe",
      Forms.unless((aqe == "true") == (strategy != "sort merge")): _*
    ) {
      check(s"SELECT count(*), sum(fact.id), max(s) FROM fact JOIN dim ON $key WHERE dep = 7", most = 100000)
    }

    test(
      s"an empty build side reads nothing, $strategy join, AQE $aqe",
      Forms.unless((aqe == "true") == (strategy != "sort merge")): _*
    ) {
      withConf(conf :+ ("spark.sql.adaptive.enabled" -> aqe): _*)(dynamic(on = true) {
        val query = spark.sql("SELECT count(*) FROM fact JOIN dim ON id = k WHERE dep + ki = -1")
        assert(sorted(query) == Seq("[0]"))
        assert(rowsOf(query.queryExecution.executedPlan, "fact") == 0, query.queryExecution.executedPlan)
      })
    }
  }

  for (
    aqe <- Seq("true", "false"); (strategy, conf) <- strategies.take(2);
    key <- Seq("id = k", "s = ks", "d = kd")
  )
    test(
      s"prunes stripes of ORC by $key, $strategy, AQE $aqe",
      Forms.unless((aqe == "true") == (strategy != "sort merge")): _*
    ) {
      val plan = onAndOff(
        s"SELECT count(*), sum(id) FROM fact_orc JOIN dim ON $key WHERE dep = 7",
        conf :+ ("spark.sql.adaptive.enabled" -> aqe): _*
      )
      assert(filters(plan).nonEmpty && rowsOf(plan, "orc") < 150000, plan)
    }

  for (aqe <- Seq("true", "false"); (strategy, conf) <- strategies.take(2))
    test(
      s"prunes the batches of a cached table, $strategy, AQE $aqe",
      Forms.unless((aqe == "true") == (strategy != "sort merge")): _*
    ) {
      val plan = onAndOff(
        "SELECT count(*), sum(id) FROM fact_in_memory JOIN dim ON id = k WHERE dep + 1 = 8 AND k < 50000",
        conf :+ ("spark.sql.adaptive.enabled" -> aqe): _*
      )
      val Seq(filter) = onceEach(filters(plan))(_.metrics("numKeys").id)
      val scan = collectLeaves(filter.child).head
      assert(scan.metrics("numOutputRows").value <= 60000, plan)
    }

  for (aqe <- Seq("true", "false"))
    test(s"prunes partitions where Spark does not, AQE $aqe", Forms.unless(aqe == "true"): _*) {
      val plan = onAndOff(
        "SELECT count(*), sum(id) FROM fact_p JOIN dim ON p = k WHERE dep = 0 AND ki % 40000 = 0 AND k < 50000",
        "spark.sql.optimizer.dynamicPartitionPruning.enabled" -> "false",
        noBroadcast,
        "spark.sql.adaptive.enabled" -> aqe
      )
      assert(filters(plan).nonEmpty && rowsOf(plan, "fact_p") == 40000, plan)
    }

  for (
    aqe <- Seq("true", "false");
    (where, query) <- Seq(
      "a join" -> "SELECT count(*), sum(id) FROM unordered JOIN dim ON id = k WHERE dep = 7",
      "a join of times, which are too far apart for a bitmap" ->
        "SELECT count(*), sum(id) FROM unordered JOIN dim ON ts = kts WHERE dep = 7",
      "IN" -> "SELECT count(*), sum(id) FROM unordered WHERE id IN (SELECT k FROM dim WHERE dep = 7)",
      "grouping sets" ->
        """SELECT count(*), sum(id) FROM
        (SELECT id, g, count(*) AS n FROM unordered GROUP BY GROUPING SETS ((id), (id, g))) JOIN dim ON id = k WHERE dep = 7"""
    )
  )
    test(
      s"rows are dropped before a shuffle where the file can skip nothing, $where, AQE $aqe",
      Forms.unless(aqe == "true"): _*
    ) {
      val plan = onAndOff(
        query,
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

  test(
    "a scan is given 64 ranges or one for each file of a small table; what is in memory or a partition, all that are worth it"
  ) {
    def ranges(table: String, key: String): Seq[Long] =
      filters(onAndOff(s"SELECT count(*), sum(id) FROM $table JOIN dim ON $key = k WHERE dep < 90"))
        .map(_.metrics("numRanges").value)
    assert(ranges("fact", "id") == Seq(64))
    assert(ranges("fact_in_memory", "id").forall(_ > 500) && ranges("fact_in_memory", "id").nonEmpty)
    directory
    spark.range(0, 200000, 1, 300).write.mode("overwrite").parquet(s"$directory/many_files")
    spark.read.parquet(s"$directory/many_files").createOrReplaceTempView("many_files")
    assert(ranges("many_files", "id") == Seq(300))
    spark.range(0, 200, 1, 1).selectExpr("id", "id * 2000 AS p").write.mode("overwrite").partitionBy("p")
      .parquet(s"$directory/many_p")
    spark.read.parquet(s"$directory/many_p").createOrReplaceTempView("many_p")
    withConf("spark.sql.optimizer.dynamicPartitionPruning.enabled" -> "false") {
      val Seq(ofPartitions) = ranges("many_p", "p")
      assert(ofPartitions > 500)
    }
  }

  test("keys of a relation are collected once, however many scans read them") {
    val plan = onAndOff(Seq("fact", "unordered").map { table =>
      s"SELECT count(*), sum(id) FROM $table JOIN dim ON id = k WHERE dep = 7"
    }.mkString(" UNION ALL "))
    val Seq(some, others) = filters(plan).map { filter =>
      new ReadKeys(
        false,
        filter.settings,
        None
      )(filter.builds, filter.buildKeys, filter.sources).map(_.toOption.get)
    }
    assert(some.head eq others.head)
    assert(some.head.distinct == 10)
    val both = "SELECT count(*), sum(id) FROM fact JOIN dim ON id = k AND i = ki WHERE dep = 7"
    val ofColumns = filters(onAndOff(both)).flatMap(filter => filter.metrics.get("numRanges").map(_.value))
    assert(ofColumns == Seq(20))
  }

  test(
    "stages that need the plan are not sent the build sides of a filter, nor, above an adaptive filter, its scan's predicates"
  ) {
    val plan = onAndOff(
      "SELECT fact.g, count(*), sum(id) FROM fact JOIN dim ON id = k WHERE dep < 90 AND i >= 0 GROUP BY fact.g"
    )
    def size(plan: SparkPlan): Int = SparkEnv.get.closureSerializer.newInstance().serialize(plan).limit()
    val Seq(adapter) = collect(plan) { case adapter @ InputAdapter(_: DynamicFilterExec) => adapter }
    val filter = adapter.child.asInstanceOf[DynamicFilterExec]
    assert(size(filter) == size(filter.child) && size(adapter) < size(filter) + 1000)
  }

  /** The filter of a table, by the names of its keys. */
  private def filterOf(plan: SparkPlan, table: String): Seq[String] = filters(plan)
    .filter(filter =>
      collectLeaves(filter.child).exists {
        case scan: FileSourceScanExec => scan.relation.location.rootPaths.head.getName == table
        case _ => false
      }
    ).flatMap(_.simpleString(9).split("in keys of ").tail).map(_.takeWhile(_ != '#')).distinct

  // What is read twice is larger than what is read once.
  private val twice = "(SELECT * FROM unordered UNION ALL SELECT * FROM unordered WHERE id < 0)"
  private val large = (inner: String, dim: String) =>
    s"SELECT /*+ BROADCAST(dim) */ big.* FROM $twice big $inner (SELECT k, dep FROM dim WHERE $dim) dim ON id = k"

  for (aqe <- Seq("true", "false"); (inner, expected) <- Seq("JOIN" -> Seq("k"), "LEFT JOIN" -> Nil))
    test(
      s"a build side too large to wait for has its keys from a $inner within it, or not, AQE $aqe",
      Forms.unless(aqe == "true"): _*
    ) {
      val plan = onAndOff(
        s"""SELECT /*+ MERGE(fact) */ count(*), sum(big.g), sum(fact.i)
           |FROM (${large(inner, "dep = 7")}) big LEFT JOIN fact ON big.id = fact.id""".stripMargin,
        "spark.sql.adaptive.enabled" -> aqe
      )
      assert(rowsOf(plan, "dim") == 1000 && filterOf(plan, "fact") == expected, plan)
      assert(rowsOf(plan, "fact") < 200000 == expected.nonEmpty, plan)
    }

  for (aqe <- Seq("true", "false"))
    test(
      s"the other side's own keys come before those of a source within it, AQE $aqe",
      Forms.unless(aqe == "true"): _*
    ) {
      val plan = onAndOff(
        s"""SELECT /*+ MERGE(fact) */ count(*), sum(big.g), sum(fact.i)
           |FROM (${large(
            "JOIN",
            "dep < 90"
          )}) big JOIN fact ON big.id = fact.id WHERE fact.i % 5000 = 0""".stripMargin,
        "spark.sql.adaptive.enabled" -> aqe
      )
      assert(filterOf(plan, "unordered").sorted == Seq("id", "k") && filterOf(plan, "fact").isEmpty, plan)
    }

  test("a build side that is asked to be rebalanced, and has a partition split") {
    directory
    spark.table("dim").repartition(4).write.mode("overwrite").parquet(s"$directory/dim_4")
    spark.read.parquet(s"$directory/dim_4").createOrReplaceTempView("dim_4")
    val plan = onAndOff(
      "SELECT count(*), sum(id) FROM fact JOIN (SELECT /*+ REBALANCE(k) */ k FROM dim_4 WHERE dep < 90) d ON id = k",
      noBroadcast,
      "spark.sql.adaptive.advisoryPartitionSizeInBytes" -> "100B"
    )
    assert(
      collect(plan) {
        case read: AQEShuffleReadExec if read.isCoalescedRead || read.hasSkewedPartition => read
      }.nonEmpty,
      plan
    )
    assert(filters(plan).nonEmpty, plan)
  }

  for (aqe <- Seq("true", "false"))
    test(
      s"Spark's pruning of partitions goes on where its build side has a filter of ours, AQE $aqe",
      Forms.unless(aqe == "true"): _*
    ) {
      val text =
        """SELECT /*+ BROADCAST(d) */ count(*), sum(id) FROM fact_p JOIN
          |(SELECT DISTINCT d1.k FROM dim d1 JOIN dim d2 ON d1.ki = d2.ki WHERE d2.dep = 0 AND d2.k < 50000) d ON p = d.k""".stripMargin
      val plan = onAndOff(text, "spark.sql.adaptive.enabled" -> aqe)
      assert(filters(plan).nonEmpty && rowsOf(plan, "fact_p") <= 60000, plan)
      assert(collectWithSubqueries(plan) { case subquery: SubqueryExec => subquery }.isEmpty, plan)
    }

  for (aqe <- Seq("true", "false"))
    test(
      s"a filter above a pruned scan still works on its batches, AQE $aqe",
      Forms.unless(aqe == "true"): _*
    ) {
      val plan = onAndOff(
        "SELECT count(*), sum(id) FROM fact JOIN dim ON id = k WHERE dep = 7 AND fact.g > 1 AND s LIKE '%1%'",
        noBroadcast,
        "spark.sql.adaptive.enabled" -> aqe
      )
      val batches = collect(plan) { case filter: AdaptiveColumnarFilterExec => filter }
        .filter(filter => collectFirst(filter) { case scan: DynamicFilterExec => scan }.isDefined)
      assert(batches.size == 1 && batches.head.condition.exists(_.isInstanceOf[InDynamicKeys]), plan)
    }

  for (table <- Seq("fact", "fact_orc", "fact_p", "fact_in_memory"))
    test(s"a thread that has no session reads what is left of $table") {
      directory
      withConf(
        noBroadcast,
        "spark.sql.adaptive.enabled" -> "false"
      ) {
        val query = spark.sql(s"SELECT id FROM $table JOIN dim ON id = k WHERE dep = 7").queryExecution
        assert(filters(query.executedPlan).nonEmpty)
        SparkSession.clearActiveSession()
        try assert(query.toRdd.count() == 10)
        finally SparkSession.setActiveSession(spark)
      }
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
