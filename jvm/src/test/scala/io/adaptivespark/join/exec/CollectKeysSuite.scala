package io.adaptivespark.join.exec

import java.util.concurrent.atomic.AtomicInteger

import org.apache.spark.scheduler.{SparkListener, SparkListenerJobStart}
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.adaptivespark.ListenerQueues
import org.apache.spark.sql.types.{DataType, LongType, StringType}
import org.apache.spark.unsafe.types.UTF8String
import org.scalatest.concurrent.Eventually.{eventually, timeout}
import org.scalatest.funsuite.AnyFunSuite
import org.scalatest.time.SpanSugar._

import io.adaptivespark.Forms
import io.adaptivespark.join.JoinTables
import io.adaptivespark.join.keys.{BytesCollector, KeyCollector, KeyDomain, LongCollector}
import io.adaptivespark.join.keys.collecting.CollectedKeys

class CollectKeysSuite extends AnyFunSuite with JoinTables {

  private def told(types: DataType*)(tasks: (Int, Seq[Any])*): CollectedKeys = {
    val total = new CollectedKeys(types)
    total.begin(spark.sparkContext, 2)
    for ((task, keys) <- tasks) {
      val ofTask = total.copy()
      ofTask.reset()
      val collectors = types.map { dataType =>
        val collector = KeyDomain.of(dataType).get.collector(CollectedKeys.Limits)
        keys.foreach {
          case key: Long => collector.asInstanceOf[LongCollector].add(key)
          case key: String => collector.asInstanceOf[BytesCollector].add(UTF8String.fromString(key))
        }
        collector: KeyCollector[_]
      }
      ofTask.add((task, if (collectors.forall(_.fits)) Some(collectors.map(_.summary)) else None))
      assert(!ofTask.isZero)
      total.merge(ofTask)
    }
    total
  }

  test("what all tasks told adds up, a task that ran twice too") {
    val keys = told(LongType)(0 -> Seq(3L, 1L), 1 -> Seq(2L, 3L), 0 -> Seq(1L, 4L)).value
    assert(keys.get.head.values.contains(Seq(1L, 2L, 3L, 4L)) && keys.get.head.rows == 4)
    val rows = told(LongType)(0 -> Seq(3L, 1L), 1 -> Seq(2L, 3L), 0 -> Seq(3L, 1L)).value.get.head
    assert(rows.rows == 4 && rows.values.contains(Seq(1L, 2L, 3L)))
    val texts = told(StringType)(1 -> Seq("b"), 0 -> Nil).value
    assert(texts.get.head.values.get.map(_.toString) == Seq("b"))
  }

  test("nothing is known before all tasks have told") {
    assert(told(LongType)(0 -> Seq(3L)).value.isEmpty && told(LongType)().value.isEmpty)
  }

  test("nothing is known once a task has too many, or one that is too long") {
    val most = CollectedKeys.Limits.longs.toLong
    assert(told(LongType)(0 -> (0L until most), 1 -> (most until 2 * most)).value.isDefined)
    assert(told(LongType)(0 -> (0L to most), 1 -> Nil).value.isEmpty)
    assert(told(StringType)(0 -> Seq("x" * (100 << 10)), 1 -> Nil).value.isEmpty)
  }

  test("many tasks are not asked") {
    val keys = new CollectedKeys(Seq(LongType))
    assert(!keys.begin(spark.sparkContext, 10000) && keys.value.isEmpty)
    assert(keys.begin(spark.sparkContext, 0) && keys.value.get.head.isEmpty)
  }

  test("however many scans ask for its keys, a shuffle is read once and a filter sent once") {
    directory
    // more tasks than tell their keys on the way
    spark.range(0, 100000, 1, 100).selectExpr(
      "id * 2 AS k",
      "id % 100 AS dep"
    ).createOrReplaceTempView("many")
    def text(scans: Int) = Seq.fill(scans)("SELECT id, s FROM fact").zipWithIndex.map { case (from, i) =>
      s"$from WHERE length(s) > $i"
    }.mkString("SELECT count(*) FROM (", " UNION ALL ", ") JOIN many ON id = k WHERE dep = 7")
    withConf(noBroadcast) {
      def asked(scans: Int) = jobs(assert(spark.sql(text(scans)).collect().nonEmpty))
      assert(asked(1) == asked(4))
      val query = spark.sql(text(4))
      assert(query.head() ==
        withConf("spark.sql.dynamicFilter.enabled" -> "false")(spark.sql(text(4)).head()))
      assert(filters(query.queryExecution.executedPlan).size == 4)
    }
  }

  test("keys that hold a subquery are let go with their query") {
    directory
    val queries = 10
    def ask(): Unit = withConf(noBroadcast) {
      val query = spark.sql(
        "SELECT /*+ DYNAMIC_FILTER(fact) */ count(*) FROM fact JOIN dim ON id = k + (SELECT min(k) FROM dim) WHERE dep = 7"
      )
      query.collect()
      assert(filters(query.queryExecution.executedPlan).size == 1)
    }
    val before = ReadKeys.builds
    (1 to queries).foreach(_ => ask())
    eventually(timeout(1.minute)) {
      System.gc()
      assert(ReadKeys.builds < before + queries / 2)
    }
  }

  for (aqe <- Seq("true", "false"))
    test(
      s"a cached table that is not there yet is no build side, AQE $aqe",
      Forms.unless(aqe == "true"): _*
    ) {
      directory
      spark.sql(s"CACHE LAZY TABLE cold_$aqe AS SELECT k, dep FROM dim WHERE k + dep >= 0")
      try {
        def plan = withConf(noBroadcast, "spark.sql.adaptive.enabled" -> aqe)(onAndOffHinted(
          s"SELECT /*+ DYNAMIC_FILTER(fact) */ count(*), sum(fact.id) FROM fact JOIN cold_$aqe ON fact.id = k WHERE dep = 7"
        ))
        assert(withConf(noBroadcast, "spark.sql.adaptive.enabled" -> aqe)(filters(
          spark.sql(
            s"SELECT /*+ DYNAMIC_FILTER(fact) */ fact.id FROM fact JOIN cold_$aqe ON fact.id = k WHERE dep = 7"
          )
            .queryExecution.executedPlan
        )).isEmpty)
        spark.table(s"cold_$aqe").count()
        assert(filters(plan).size == 1, plan)
      } finally spark.sql(s"UNCACHE TABLE cold_$aqe")
    }

  test("without adaptive execution all build sides of a scan begin at once") {
    directory
    withConf(
      noBroadcast,
      "spark.sql.adaptive.enabled" -> "false"
    ) {
      val plan = spark.sql(
        "SELECT id FROM fact JOIN dim a ON id = a.k JOIN dim b ON i = b.ki WHERE a.dep < 50 AND b.dep > 40"
      ).queryExecution.executedPlan
      val builds = filters(plan).filter(_.builds.size == 2)
      assert(builds.size == 1, plan)
      val started = jobs(builds.head.execute())
      assert(started == 2 && plan.executeCollect().length == 90)
    }
  }

  private def jobs(body: => Unit): Int = {
    val started = new AtomicInteger
    val listener = new SparkListener {
      override def onJobStart(job: SparkListenerJobStart): Unit = started.incrementAndGet()
    }
    ListenerQueues.drain(spark.sparkContext)
    spark.sparkContext.addSparkListener(listener)
    try {
      body
      ListenerQueues.drain(spark.sparkContext)
    } finally spark.sparkContext.removeSparkListener(listener)
    started.get
  }

  private def collecting(plan: SparkPlan): Seq[CollectKeysExec] =
    onceEach(collectWithSubqueries(plan) { case collecting: CollectKeysExec => collecting })(_.collected)

  for (aqe <- Seq("true", "false"); (strategy, conf) <- strategies.drop(1)) {
    val all = conf :+ ("spark.sql.adaptive.enabled" -> aqe)

    test(
      s"few keys need no job of their own, $strategy, AQE $aqe",
      Forms.unless((aqe == "true") == (strategy != "sort merge")): _*
    ) {
      val query = "SELECT count(*), sum(fact.id) FROM fact JOIN dim ON id = k AND s = ks WHERE dep < 7"
      def jobsOf(on: Boolean) =
        withConf(all: _*)(jobs(dynamic(on)(spark.sql(query).collect())))
      val plan = onAndOff(query, all: _*)
      assert(filters(plan).nonEmpty && rowsOf(plan, "fact") < 200000, plan)
      assert(collecting(plan).map(_.collected.value.map(_.map(_.values.get.size))) == Seq(Some(Seq(70, 70))))
      // Without adaptive execution one job runs all stages, but for the shuffle that is waited for.
      assert(jobsOf(on = true) == jobsOf(on = false) + (if (aqe.toBoolean) 0 else 1))
    }

    test(
      s"many keys are read from the shuffle, $strategy, AQE $aqe",
      Forms.unless((aqe == "true") == (strategy != "sort merge")): _*
    ) {
      val plan = onAndOff(
        "SELECT count(*), sum(a.id) FROM fact a JOIN (SELECT i FROM fact WHERE g = 3 AND i < 50000) b ON a.id = b.i",
        all: _*
      )
      assert(filters(plan).nonEmpty, plan)
      assert(collecting(plan).map(_.collected.value) == Seq(None), plan)
      assert(filters(plan).map(_.metrics("numKeys").value).max > CollectedKeys.Limits.longs, plan)
    }

    test(
      s"an exchange is the same with the keys collected and without, $strategy, AQE $aqe",
      Forms.unless((aqe == "true") == (strategy != "sort merge")): _*
    ) {
      val plan = onAndOff(
        """SELECT count(*) FROM fact JOIN dim ON i = ki WHERE dep = 7 UNION ALL
          |SELECT count(*) FROM (SELECT i + 0 AS j FROM fact) f JOIN dim ON j = ki WHERE dep = 7""".stripMargin,
        all: _*
      )
      assert(filters(plan).map(_.metrics("numKeys").value).max == 10, plan)
      assert(rowsOf(plan, "fact") < 400000 && rowsOf(plan, "dim") == 1000, plan)
    }
  }
}
