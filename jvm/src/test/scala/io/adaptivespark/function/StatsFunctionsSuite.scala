package io.adaptivespark.function

import java.nio.file.Files
import java.util.Properties
import java.util.concurrent.{CountDownLatch, TimeUnit}

import scala.concurrent.{Await, Future}
import scala.concurrent.ExecutionContext.Implicits.global
import scala.concurrent.duration._

import org.apache.spark.scheduler.{JobSucceeded, SparkListener, SparkListenerJobEnd}
import org.apache.spark.sql.{DataFrame, Row}
import org.apache.spark.sql.execution.{CodegenSupport, SQLExecution, UnionExec, WholeStageCodegenExec}
import org.apache.spark.sql.execution.adaptivespark.LostShuffle
import org.apache.spark.sql.functions._
import org.apache.spark.util.SizeEstimator
import org.json4s.{JArray, JInt, JObject, JValue}
import org.json4s.jackson.JsonMethods.parse
import org.scalatest.concurrent.Eventually.eventually
import org.scalatest.concurrent.PatienceConfiguration.Timeout
import org.scalatest.funsuite.AnyFunSuite
import org.scalatest.time.{Minutes, Span}

import io.adaptivespark.SparkSuite
import io.adaptivespark.conf.Build
import io.adaptivespark.filter.sampling.FilterReport
import io.adaptivespark.history.{FilterHistory, QueryListener}
import io.adaptivespark.history.bound.{EntrySize, RecentEntries}
import io.adaptivespark.history.label.QueryLabels

class StatsFunctionsSuite extends AnyFunSuite with SparkSuite {
  private def tagged[T](tag: String)(body: => T): T =
    withConf(
      "spark.sql.adaptiveFilter.queryTag" -> tag,
      "spark.sql.adaptiveFilter.runId" -> "run",
      "spark.sql.adaptiveFilter.collectRate" -> "10"
    )(body)

  private def stats(tag: String): Seq[Row] =
    spark.sql(
      "SELECT * FROM adaptive_filter_stats() ORDER BY filter_id, written_position"
    ).filter(col("query_tag") === tag).collect().toSeq

  test("one row a conjunct, with what was seen of it") {
    tagged("model.a")(withConf("spark.sql.ansi.enabled" -> "false") {
      spark.range(0, 100000, 1, 2).selectExpr(
        "id",
        "concat('x', id) s"
      ).filter("s LIKE '%1%2%' AND id % 10 = 3").collect()
    })
    val Seq(like, modulo) = stats("model.a")
    assert(like.getAs[String]("predicate").contains("LIKE") && like.getAs[Int]("written_position") == 0)
    assert(math.abs(modulo.getAs[Double]("selectivity") - 0.1) < 0.03)
    assert(modulo.getAs[Long]("rows_monitored") > 9000 && modulo.getAs[Double]("cost_ns") > 0)
    assert(modulo.getAs[Long]("rows_in") == 100000 && modulo.getAs[String]("run_id") == "run")
    assert(like.getAs[Long]("query_id") == modulo.getAs[Long]("query_id"))
    assert(Set(like, modulo).map(_.getAs[Int]("final_position")) == Set(0, 1))
  }

  test("predicates below an OR tell the nodes that they stand below") {
    val path = Files.createTempDirectory("nested").resolve("t").toString
    spark.range(0, 1000, 1, 1).selectExpr("id", "concat('x', id) s", "concat('y', id) t").write.parquet(path)
    tagged("model.nested")(
      spark.read.parquet(path)
        .filter("id > 5 AND (s LIKE '%1%2%' OR (t LIKE '%3%' AND s LIKE '%4%5%'))").collect()
    )
    val Seq(top, first, second, third) = stats("model.nested")
    assert(top.isNullAt(top.fieldIndex("branch")) && top.getAs[String]("predicate").contains("> 5"))
    assert(
      Seq(first, second, third).map(_.getAs[String]("branch")) == Seq("OR 1", "OR 1 / AND 2", "OR 1 / AND 2")
    )
  }

  test("all of a node's latest queries in one text, and nothing of others") {
    def told(tag: String, run: String, after: Long): Map[String, Seq[JValue]] = {
      val text =
        spark.sql(s"SELECT stats FROM adaptive_run_stats('$tag', '$run', $after)").head().getString(0)
      parse(text).asInstanceOf[JObject].obj.map { case (name, rows) =>
        name -> rows.asInstanceOf[JArray].arr
      }.toMap
    }
    val path = Files.createTempDirectory("told").resolve("t").toString
    tagged("model.told")(spark.range(100000).filter("id % 3 = 1 AND id % 5 = 2").write.parquet(path))
    tagged("model.other")(spark.range(1000).filter("id % 3 = 1 AND id % 5 = 2").collect())
    val all = told("model.told", "run", -1)
    assert(all.keySet == Set("queries", "filters", "dynamic", "plans"))
    assert((all("queries").head \ "rows_written") == JInt(6667))
    assert(all("filters").map(_ \ "written_position") == Seq(JInt(0), JInt(1)))
    assert((all("filters").head \ "predicate").values.toString.contains("% 3"))
    val JInt(last) = all("queries").head \ "query_id"
    assert(told("model.told", "run", last.toLong).values.forall(_.isEmpty))
    assert(told("model.told", "another", -1).values.forall(_.isEmpty))
    assert(
      intercept[Exception](spark.sql("SELECT * FROM adaptive_run_stats('a')").collect()).getMessage.contains(
        "adaptive_run_stats takes a query_tag, a run_id and the id of a query"
      )
    )
  }

  test("two queries are two filters; executing a plan again does not count its rows twice") {
    def query = spark.range(100000).filter("id % 3 = 1 AND id % 5 = 2")
    tagged("model.twice") {
      query.collect()
      val plan = query.queryExecution.executedPlan
      plan.executeCollect()
      plan.executeCollect()
    }
    val rowsIn = stats("model.twice").groupBy(_.getAs[Long]("filter_id")).map { case (id, rows) =>
      id -> rows.head.getAs[Long]("rows_in")
    }
    assert(rowsIn.values.toSet == Set(100000L) && rowsIn.size >= 2)
    // Spark 3.5 makes a plan's RDD anew for each execution, which is then a filter of its own.
    assert(rowsIn.size == 2 || Build.sparkLine == "3.5")
  }

  test("a sort, which reads its input twice, does not count its rows twice") {
    tagged("model.sorted")(spark.range(
      0,
      50000,
      1,
      3
    ).filter("id % 3 = 1 AND id % 5 = 2").orderBy(desc("id")).collect())
    assert(stats("model.sorted").map(_.getAs[Long]("rows_in")).distinct == Seq(50000))
  }

  test("explaining records nothing") {
    tagged("model.explained")(spark.range(1000).filter("id % 3 = 1 AND id % 5 = 2").explain("codegen"))
    assert(stats("model.explained").isEmpty)
  }

  private def unionOf(a: DataFrame, b: DataFrame): DataFrame = {
    assume(
      classOf[CodegenSupport].isAssignableFrom(classOf[UnionExec]),
      "This Spark generates no code for a UNION ALL."
    )
    val union =
      a.filter("id % 3 = 1 AND id % 5 = 2").union(b.filter("id % 7 = 1 AND id % 11 = 2 AND id % 13 = 3"))
    // Spark 4.2 does not do it by itself.
    val plan =
      withConf("spark.sql.codegen.wholeStage.union.enabled" -> "true")(union.queryExecution.executedPlan)
    val fused = plan.exists {
      case stage: WholeStageCodegenExec => stage.child.isInstanceOf[UnionExec]
      case _ => false
    }
    assert(fused)
    union
  }

  private def rowsIn(tag: String): Seq[Long] =
    stats(tag).groupBy(_.getAs[Long]("filter_id")).values.map(_.head.getAs[Long]("rows_in")).toSeq.sorted

  test("filters below a UNION ALL that Spark generates as one are there, over rows and over batches") {
    tagged("model.union")(unionOf(
      spark.range(0, 30000, 1, 2).toDF(),
      spark.range(0, 50000, 1, 3).toDF()
    ).collect())
    assert(rowsIn("model.union") == Seq(30000, 50000))
    val path = Files.createTempDirectory("union").resolve("t").toString
    spark.range(0, 20000, 1, 2).write.parquet(path)
    tagged("model.union.batches")(unionOf(spark.read.parquet(path), spark.range(0, 10000).toDF()).collect())
    assert(rowsIn("model.union.batches") == Seq(10000, 20000))
  }

  test("explaining a UNION ALL records nothing, before it runs and after") {
    tagged("model.union.explained") {
      val union = unionOf(spark.range(0, 300).toDF(), spark.range(0, 500).toDF())
      union.explain("codegen")
      assert(stats("model.union.explained").isEmpty)
      union.collect()
      union.explain("codegen")
    }
    assert(rowsIn("model.union.explained") == Seq(300, 500))
  }

  test("a query that is running shows what its tasks have reported") {
    val release = new CountDownLatch(1)
    StatsFunctionsSuite.latch = release
    val waits = udf { (id: Long) => if (id >= 1000) StatsFunctionsSuite.latch.await(1, TimeUnit.MINUTES); id }
    val running = tagged("model.running") {
      val query = spark.range(0, 2000, 1, 2).filter("id % 3 = 1 AND id % 5 = 2").select(waits(col("id")))
      query.queryExecution.executedPlan
      Future(query.collect())
    }
    try eventually(Timeout(Span(1, Minutes)))(assert(rowsIn("model.running") == Seq(1000)))
    finally release.countDown()
    Await.result(running, 1.minute)
    assert(rowsIn("model.running") == Seq(2000))
  }

  test("a slow listener of someone else keeps nobody waiting") {
    val release = new CountDownLatch(1)
    val slow = new SparkListener {
      override def onJobEnd(job: SparkListenerJobEnd): Unit = release.await(1, TimeUnit.MINUTES)
    }
    spark.sparkContext.addSparkListener(slow)
    try {
      val began = System.nanoTime
      val path = Files.createTempDirectory("slow").resolve("t").toString
      tagged("model.slow")(spark.range(70).write.parquet(path))
      val rows =
        spark.sql("SELECT rows_written FROM adaptive_query_stats() WHERE query_tag = 'model.slow'").collect()
      assert(rows.map(_.getLong(0)).toSeq == Seq(70) && (System.nanoTime - began).nanos < 30.seconds)
    } finally {
      release.countDown()
      spark.sparkContext.removeSparkListener(slow)
    }
  }

  private object Small extends EntrySize[Int, String] {
    override def own(entry: Int): Long = 1
    override def parts(entry: Int): Seq[String] = Nil
    override def ofPart(part: String): Long = 0
    override def withParts(entry: Int, parts: Seq[String]): Int = entry
  }

  test("many entries of one kind push out none of another") {
    val entries = new RecentEntries[Int, String](3, mostBytes = 1000, Small)(_ % 2)
    assert((1 to 20 by 2).forall(entries.add) && !entries.add(19))
    assert(Seq(2, 4, 6, 8).forall(entries.add) && entries.all == Seq(15, 17, 19, 4, 6, 8))
    assert(entries.add(1) && entries.all == Seq(17, 19, 4, 6, 8, 1))
  }

  test("what a query leaves behind is small, whatever its constants") {
    def remembered = SizeEstimator.estimate(memory.filters) + SizeEstimator.estimate(memory.filterMemory)
    def run(values: Int): Unit = spark.range(10000).filter(
      s"id % 3 = 1 AND id % 5 IN (${(0 until values).mkString(", ")}) AND id % 7 = 1"
    ).collect()
    run(500)
    val before = remembered
    run(5000)
    assert(remembered - before < 10000)
  }

  test("literals are redacted as in Spark's plans") {
    withConf("spark.sql.redaction.string.regex" -> "secret\\d+") {
      tagged("model.redacted")(
        spark.range(1000).selectExpr(
          "id",
          "concat('x', id) s"
        ).filter("s LIKE '%secret1%0' AND id % 10 = 3").collect()
      )
    }
    val predicates = stats("model.redacted").map(_.getAs[String]("predicate"))
    assert(predicates.exists(_.contains("LIKE '%*********(redacted)%0'")) &&
      !predicates.exists(_.contains("secret")))
  }

  test("the memory is bounded, and the oldest entries leave it first") {
    val history = new FilterHistory
    val kept = FilterHistory.Limit
    (1 to kept + 5).foreach { id =>
      val predicates = Seq(FilterHistory.Predicate("(id > 3)", "(id > ?)", mayThrow = false, None))
      val labels = QueryLabels(None, "ann", "model.many", "run")
      history.add(FilterHistory.Entry(labels, id, new FilterReport(1), predicates))
    }
    assert(history.rows(_.isOfRun).map(_.getAs[Long](3)) == (6 to kept + 5).map(_.toLong))
  }

  test("rows and bytes written are known when the query has returned") {
    val path = Files.createTempDirectory("written").resolve("t").toString
    tagged("model.written")(spark.range(0, 1234, 1, 3).write.parquet(path))
    val Seq(row) = spark.sql(
      "SELECT rows_written, bytes_written FROM adaptive_query_stats() WHERE query_tag = 'model.written'"
    ).collect().toSeq
    assert(row.getLong(0) == 1234 && row.getLong(1) > 0)
  }

  test("rows that a task and its speculative copy both wrote count once, those of other stages besides") {
    val listener = memory.queries
    val properties = new Properties
    properties.setProperty(SQLExecution.EXECUTION_ID_KEY, "987654")
    val stages = Seq(900001, 900002)
    listener.onJobStart(LostShuffle.started(job = 900000, stages, properties))
    for ((stage, partition, attempt) <- Seq((900001, 0, 0), (900001, 1, 0), (900001, 0, 1), (900002, 0, 0)))
      listener.onTaskEnd(LostShuffle.written(stage, partition, attempt, rows = 100))
    val Seq(row) = listener.rows(_.queryId.contains(987654L), isUpToDate = true)
    assert(row.getLong(3) == 300 && row.getLong(4) == 2400)
    listener.onJobEnd(SparkListenerJobEnd(900000, 0, JobSucceeded))
  }

  test("rows written are not known where the listener lags, or where Spark dropped events of the query") {
    var dropped = 3L
    val listener = new QueryListener(() => dropped)
    def written(query: Int, isUpToDate: Boolean = true) =
      listener.rows(_.queryId.contains(query.toLong), isUpToDate).map(row => Option(row.get(3)))
    def write(query: Int): Unit = {
      val properties = new Properties
      properties.setProperty(SQLExecution.EXECUTION_ID_KEY, query.toString)
      listener.onJobStart(LostShuffle.started(job = query, Seq(query), properties))
      listener.onTaskEnd(LostShuffle.written(stage = query, partition = 0, attempt = 0, rows = 7))
    }
    write(1)
    assert(written(1) == Seq(Some(7L)) && written(1, isUpToDate = false) == Seq(None))
    dropped = 4
    write(2)
    assert(written(1) == Seq(None) && written(2) == Seq(Some(7L)))
  }

  test("a write of no rows into partitions has written 0") {
    val path = Files.createTempDirectory("none").resolve("t").toString
    spark.range(10).selectExpr("id", "id % 2 AS p").write.partitionBy("p").parquet(path)
    tagged("model.none") {
      spark.range(10).filter("id > 10").selectExpr("id", "id % 2 AS p").write.mode("append").partitionBy(
        "p"
      ).parquet(path)
    }
    val rows =
      spark.sql("SELECT rows_written FROM adaptive_query_stats() WHERE query_tag = 'model.none'").collect()
    assert(rows.map(_.get(0)).toSeq == Seq(0L))
  }

  test("a query that writes nothing has written null rows") {
    tagged("model.read")(spark.range(10).count())
    val rows =
      spark.sql("SELECT rows_written FROM adaptive_query_stats() WHERE query_tag = 'model.read'").collect()
    assert(rows.nonEmpty && rows.forall(_.isNullAt(0)))
  }
}

private object StatsFunctionsSuite {
  @volatile var latch: CountDownLatch = _
}
