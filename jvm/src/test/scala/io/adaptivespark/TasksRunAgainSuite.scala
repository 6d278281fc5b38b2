package io.adaptivespark

import java.util.concurrent.atomic.AtomicInteger

import org.apache.spark.TaskContext
import org.apache.spark.sql.Row
import org.apache.spark.sql.execution.adaptivespark.{ListenerQueues, LostShuffle}
import org.apache.spark.sql.functions.udf
import org.scalatest.funsuite.AnyFunSuite

import io.adaptivespark.conf.AdaptiveSparkConf

/** What tasks count is counted once, though Spark runs some of them twice. */
class TasksRunAgainSuite extends AnyFunSuite with SparkSuite {
  import TasksRunAgainSuite._

  override protected def staticConf: Map[String, String] = Map("spark.master" -> "local[2,4]")

  override protected def beforeAll(): Unit = {
    super.beforeAll()
    spark.range(0, rows, 1, 4).selectExpr("id", "id % 10 AS k", "concat('n', id) AS s")
      .write.saveAsTable("numbers")
    spark.range(0, rows, 1, 2).selectExpr("id AS i", "id % 7 AS g").write.saveAsTable("facts")
    spark.range(0, 1000, 1, 2).selectExpr("id AS key", "id % 10 AS dep").write.saveAsTable("keys")
  }

  private def learned(tag: String)(body: => Unit): Row = withConf(
    AdaptiveSparkConf.QueryTag.name -> tag,
    AdaptiveSparkConf.CollectRate.name -> "1"
  ) {
    body
    ListenerQueues.drain(spark.sparkContext)
    spark.sql(
      s"SELECT rows_in, rows_out, rows_monitored, selectivity FROM adaptive_filter_stats() WHERE query_tag = '$tag' ORDER BY written_position DESC"
    ).head()
  }

  /** What the filter learns where nothing fails. */
  private lazy val calm = {
    val seen = learned("calm")(spark.sql(filtered).collect())
    assert(seen.getLong(0) == rows && seen.getLong(1) == rows / 2 && seen.getLong(2) > rows / 2)
    seen
  }

  private val filtered = "SELECT k, id FROM numbers WHERE s LIKE 'n%' AND length(s) > 1 AND k >= 5"

  test("a task that fails once, after its samples were taken") {
    failures.set(0)
    spark.udf.register(
      "fail_once",
      udf { (id: Long) =>
        if (id == last && TaskContext.get().attemptNumber() == 0) {
          failures.incrementAndGet()
          throw new IllegalStateException("for the test")
        }
        id
      }
    )
    val found = learned("fails")(assert(
      spark.sql(s"SELECT k, fail_once(id) FROM ($filtered)").collect().length == rows / 2
    ))
    assert(failures.get > 0)
    assert(found == calm)
  }

  for (aqe <- Seq("true", "false"))
    test(
      s"a stage whose output is lost while the next one reads it, AQE $aqe",
      Forms.unless(aqe == "true"): _*
    ) {
      failures.set(0)
      spark.udf.register(
        "lose_once",
        udf { (k: Long) =>
          if (TaskContext.get().stageAttemptNumber() == 0) failures.incrementAndGet()
          LostShuffle.failFirstFetch()
          k
        }
      )
      withConf("spark.sql.adaptive.enabled" -> aqe) {
        val found = learned(s"lost $aqe")(assert(
          spark.sql(s"SELECT lose_once(k), n FROM (SELECT k, count(*) n FROM ($filtered) GROUP BY k)")
            .collect().map(_.getLong(1)).toSeq == Seq.fill(5)(rows / 10L)
        ))
        assert(failures.get > 0)
        assert(found == calm)
      }
    }

  test("the rows that a pruned scan reads, and those that its keys are of") {
    withConf(
      "spark.sql.autoBroadcastJoinThreshold" -> "-1",
      "spark.sql.adaptive.enabled" -> "false",
      AdaptiveSparkConf.MinProbeSize.name -> "0",
      AdaptiveSparkConf.DynamicVerbose.name -> "true",
      AdaptiveSparkConf.QueryTag.name -> "joined"
    ) {
      val joined =
        spark.sql("SELECT i FROM facts JOIN keys ON i = key WHERE dep = 3 AND g >= 0").queryExecution.toRdd
      def stats = {
        ListenerQueues.drain(spark.sparkContext)
        spark.sql(
          "SELECT build_rows, rows_read, kept, bytes_read, row_groups, row_groups_read FROM dynamic_filter_stats() WHERE query_tag = 'joined'"
        ).collect().toSeq
      }
      assert(joined.count() == 100)
      val first = stats
      assert(first.size == 1 && first.head.getLong(0) == 100 && first.head.getLong(1) > 0, first)
      LostShuffle.loseAll()
      assert(joined.count() == 100)
      assert(stats == first)
    }
  }
}

private object TasksRunAgainSuite {
  val rows = 20000
  val last = rows - 1L

  /** Attempts of tasks that fail on purpose. */
  val failures = new AtomicInteger
}
