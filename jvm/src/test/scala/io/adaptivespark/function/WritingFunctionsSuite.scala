package io.adaptivespark.function

import java.nio.file.{Files, Path}

import scala.jdk.CollectionConverters._

import org.apache.spark.scheduler.{SparkListener, SparkListenerJobStart}
import org.apache.spark.sql.functions.col
import org.scalatest.funsuite.AnyFunSuite

import io.adaptivespark.SparkSuite
import io.adaptivespark.history.label.{QueryLabels, SessionUser}
import io.adaptivespark.history.memory.Priors

/** The table functions that write: they do so when a query runs, once, and never when it is only looked at. */
class WritingFunctionsSuite extends AnyFunSuite with SparkSuite {
  private val events: Path = Files.createTempDirectory("events")

  override protected def staticConf: Map[String, String] = Map(
    "spark.eventLog.enabled" -> "true",
    "spark.eventLog.dir" -> events.toUri.toString,
    "spark.eventLog.compress" -> "false"
  )

  private val Shape = "t: (a_shape_of_its_own > ?)"
  private val Prior = s"""{"version":2,"predicates":{"$Shape":[100,10,500]}}"""

  private def remember(tag: String, prior: String = Prior) = s"adaptive_remember('$tag', 'run', '$prior')"

  private def known(tag: String): Boolean =
    memory.priors.of(QueryLabels(None, SessionUser.current, tag, "run")).forms.nonEmpty

  /** Statements over a function that look at it and don't run it. */
  private def looks(call: String): Seq[String] = Seq(
    s"EXPLAIN SELECT * FROM $call",
    s"EXPLAIN EXTENDED SELECT done FROM $call WHERE done",
    s"EXPLAIN FORMATTED SELECT done FROM $call",
    s"EXPLAIN CODEGEN SELECT done FROM $call",
    s"EXPLAIN COST SELECT done FROM $call",
    s"DESCRIBE QUERY SELECT * FROM $call",
    s"CREATE OR REPLACE TEMP VIEW looked AS SELECT * FROM $call"
  )

  test("looking at a query that tells the driver something tells it nothing, running it does") {
    looks(remember("looks")).foreach { text =>
      spark.sql(text).collect()
      assert(!known("looks"), text)
    }
    assert(spark.sql("SELECT * FROM looked").head().getBoolean(0) && known("looks"), "the view is run")
    assert(spark.sql(s"SELECT done FROM ${remember("runs")}").head().getBoolean(0) && known("runs"))
  }

  test("looking at a query that notes or puts back statistics does neither, running it does so once") {
    spark.sql("CREATE TABLE looked_at USING parquet AS SELECT id FROM range(10)")
    try {
      def call(function: String) = s"$function('default', 'looked_at')"
      def run(function: String) = spark.sql(s"SELECT done FROM ${call(function)}").head().getBoolean(0)
      def analyzed = spark.sql(
        "SELECT 1 FROM adaptive_catalog('default', 'looked_at') WHERE row_count > 0"
      ).collect().nonEmpty
      spark.sql("ANALYZE TABLE looked_at COMPUTE STATISTICS FOR COLUMNS id")
      looks(call("adaptive_keep_statistics")).foreach(spark.sql(_).collect())
      spark.sql("INSERT INTO looked_at SELECT id FROM range(0)")
      assert(!run("adaptive_restore_statistics"), "nothing was noted")
      spark.sql("ANALYZE TABLE looked_at COMPUTE STATISTICS FOR COLUMNS id")
      assert(run("adaptive_keep_statistics"))
      spark.sql("INSERT INTO looked_at SELECT id FROM range(0)")
      looks(call("adaptive_restore_statistics")).foreach(spark.sql(_).collect())
      assert(!analyzed)
      val query = spark.sql(s"SELECT done FROM ${call("adaptive_restore_statistics")}")
      assert(query.collect().map(_.getBoolean(0)).toSeq == Seq(true) && analyzed)
      assert(query.filter(col("done")).count() == 1, "the answer of its one run")
      assert(!run("adaptive_restore_statistics"), "once")
    } finally spark.sql("DROP TABLE looked_at")
  }

  test("a query may call a function twice, in a subquery, and below other operators") {
    val twice = s"SELECT a.done AND b.done FROM ${remember("twice.1")} a JOIN ${remember("twice.2")} b"
    assert(spark.sql(twice).head().getBoolean(0) && known("twice.1") && known("twice.2"))
    val nested = s"SELECT id, (SELECT max(done) FROM ${remember("nested")}) AS done FROM range(2)"
    spark.sql(s"EXPLAIN $nested").collect()
    assert(!known("nested"))
    assert(spark.sql(nested).collect().map(_.getBoolean(1)).toSeq == Seq(true, true) && known("nested"))
  }

  for (
    (broken, why) <- Seq(
      "no json" -> "Unrecognized token 'no'",
      """{"version": 3, "predicates": {}}""" -> "It has another version than 2.",
      """{"version": 2, "predicates": {"a": [1, 2, 3]}}""" -> "Wrong numbers: [1,2,3]."
    )
  )
    test(s"a prior that is unreadable is refused with its reason: $broken") {
      val error = intercept[Exception](spark.sql(s"SELECT * FROM ${remember("broken", broken)}"))
      assert(error.getMessage.contains(
        s"adaptive_remember: the prior of broken is not readable and ignored; filters learn anew. $why"
      ))
      assert(!known("broken"))
    }

  test("a prior that is too long is refused with its length") {
    val long = Prior + " " * (Priors.Longest - Prior.length)
    spark.sql(s"SELECT * FROM ${remember("long", long)}").collect()
    assert(known("long"))
    val error = intercept[Exception](spark.sql(s"SELECT * FROM ${remember("longer", long + " ")}"))
    assert(error.getMessage.contains(
      "adaptive_remember: the prior of longer has 65,537 characters, more than 65,536. Leave out"
    ))
  }

  test("arguments that are no texts are refused") {
    for (arguments <- Seq("'a', 'b'", "'a', 'b', 3", "'a', 'b', NULL", "'a', 'b', 'c', 'd'"))
      assert(intercept[Exception](spark.sql(s"SELECT * FROM adaptive_remember($arguments)")).getMessage
        .contains("adaptive_remember"))
  }

  test("of many priors the newest are kept") {
    val labels = (0L to Priors.Most).map(i => QueryLabels(None, "ann", "tag", i.toString))
    val of = new Priors
    val prior = io.adaptivespark.history.memory.Prior.parse(Prior)
    labels.foreach(of.remember(_, prior))
    assert(of.of(labels.last).forms.nonEmpty)
    assert(labels.count(of.of(_).forms.nonEmpty) <= Priors.Most)
  }

  // last: it stops the session
  test("no job's properties and no event hold a prior") {
    val properties = new java.util.concurrent.ConcurrentLinkedQueue[String]
    spark.sparkContext.addSparkListener(new SparkListener {
      override def onJobStart(job: SparkListenerJobStart): Unit = properties.add(job.properties.toString)
    })
    val prior = Prior.replace("a_shape_of_its_own", "a_hidden_shape")
    withConf("spark.sql.adaptiveFilter.queryTag" -> "hidden", "spark.sql.adaptiveFilter.runId" -> "run") {
      spark.sql(s"SELECT done FROM ${remember("hidden", prior)}").collect()
      spark.range(0, 1000, 1, 2).filter("id % 3 = 1 AND id % 5 = 2").collect()
    }
    assert(known("hidden"))
    spark.stop()
    assert(properties.asScala.exists(_.contains("hidden")))
    assert(!properties.asScala.exists(_.contains("a_hidden_shape")))
    val logs = Files.walk(events).iterator.asScala.filter(Files.isRegularFile(_)).toSeq
    val lines = logs.flatMap(Files.readAllLines(_).asScala)
    assert(lines.exists(_.contains("SparkListenerSQLExecutionStart")))
    assert(lines.filter(_.contains("a_hidden_shape")).map(_.take(300)) == Nil)
  }
}
