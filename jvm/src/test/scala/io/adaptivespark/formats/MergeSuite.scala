package io.adaptivespark.formats

import java.util.concurrent.{CountDownLatch, TimeUnit}
import java.util.concurrent.atomic.AtomicBoolean

import scala.concurrent.{Await, Future}
import scala.concurrent.ExecutionContext.Implicits.global
import scala.concurrent.duration.Duration

import org.scalatest.funsuite.AnyFunSuite

import io.adaptivespark.{Interpreted, SparkSuite}
import io.adaptivespark.formats.MergeSuite.Way

/** The keys of its source leave out row groups of the target in each step of a `MERGE`, and other transactions are none
  * the wiser.
  */
abstract class MergeSuite(override protected val tables: FormatTables)
    extends AnyFunSuite
    with FormatOutcomes
    with Interpreted {
  import MergeSuite.{Database, Files, Hold, Patience, Rows}

  /** Ways to change rows, with the properties of a table, and how many queries of a `MERGE` read few rows at least. */
  protected def ways: Seq[Way]

  override protected def staticConf: Map[String, String] = super.staticConf ++ Map(
    "spark.sql.dynamicFilter.minProbeSize" -> "0",
    // one task waits, and another query goes on
    "spark.master" -> "local[3]",
    "spark.hadoop.parquet.block.size" -> "16384",
    "spark.hadoop.parquet.page.size" -> "2048"
  )

  private lazy val sources: Unit = {
    spark.sql(s"CREATE DATABASE $catalog.$Database")
    spark.sql(s"USE $catalog.$Database")
    for ((name, first) <- Seq("changes" -> 42000, "others" -> 42010, "apart" -> 91000))
      spark.sql(
        s"CREATE TABLE $name USING ${tables.format} AS SELECT id + $first AS k, id AS v FROM range(20)"
      )
    spark.udf.register("hold", (_: Long) => Hold())
  }

  /** `t` anew: numbers in a row, some thousand a file. */
  private def create(way: Way): Unit = {
    sources
    spark.sql("DROP TABLE IF EXISTS t")
    spark.sql(
      s"CREATE TABLE t (id BIGINT, v BIGINT) USING ${tables.format} TBLPROPERTIES (${way.properties})"
    )
    spark.range(0, Rows, 1, Files).selectExpr("id", "-id AS v").write.insertInto("t")
  }

  private def merge(source: String, matched: String = ""): String =
    s"""MERGE INTO t USING $source ON t.id = k WHEN MATCHED$matched THEN UPDATE SET v = changed
       |WHEN NOT MATCHED THEN INSERT (id, v) VALUES (k, changed)""".stripMargin

  for {
    way <- ways
    (strategy, threshold) <- Seq("broadcast" -> "10MB", "sort merge" -> "-1")
    // Delta Lake keeps the rows of a query before it joins them, and joins those of its own tables as they are.
    (name, source) <- Seq(
      "a query" -> "(SELECT k, max(v) AS changed FROM changes GROUP BY k)",
      "a table" -> "(SELECT k, v AS changed FROM changes)"
    )
  } test(
    s"by $name, $strategy, ${way.name}: few rows are looked at for matches"
  ) {
    create(way)
    memory.forget()
    val tag = s"$name $strategy ${way.name}"
    // one of both generates code
    val conf = Interpreted.conf(isOn = strategy == "broadcast") ++
      Seq("spark.sql.autoBroadcastJoinThreshold" -> threshold, "spark.sql.adaptiveFilter.queryTag" -> tag)
    withConf(conf: _*)(spark.sql(merge(source)))
    val read = spark.sql(
      s"""SELECT rows_read FROM dynamic_filter_stats()
         |WHERE query_tag = '$tag' AND verdict_code = 'filtered' AND scan LIKE '%.t' ORDER BY query_id""".stripMargin
    ).collect().toSeq.map(_.getLong(0))
    assert(read.size >= way.queries && read.forall(_ < Rows / Files / 2), read)
    assert(spark.sql("SELECT count(*), sum(v) FROM t WHERE v >= 0").head().toSeq == Seq(21L, 190L))
    assert(spark.table("t").count() == Rows)
  }

  for (
    (name, source) <- Seq("the same rows" -> "others", "rows of another file" -> "apart");
    way <- ways
  )
    test(s"two MERGEs at once, of $name, ${way.name}, end as they do without filters") {
      val Seq(stock, ours) = Seq("false", "true").map { on =>
        create(way)
        memory.forget()
        withConf(SparkSuite.Features.map(_ -> on): _*) {
          Hold.prepare()
          val held = Future(outcome(merge("(SELECT k, v AS changed FROM changes)", " AND hold(t.id)")))
          assert(Hold.entered.await(Patience, TimeUnit.SECONDS))
          val second = outcome(merge(s"(SELECT k, v + 100 AS changed FROM $source)"))
          Hold.go.countDown()
          (
            Await.result(held, Duration(Patience, TimeUnit.SECONDS)),
            second,
            sorted(spark.sql("SELECT * FROM t WHERE v >= 0")),
            history(of(Database, tables.versions))
          )
        }
      }
      assert(ours == stock)
      assert(
        stock._1.isLeft && stock._2.isRight,
        "the second is first, and the first has read what it changed"
      )
    }
}

object MergeSuite {

  /** A way to change rows.
    *
    * @param queries
    *   how many queries of a `MERGE` need only rows with a match
    */
  final case class Way(name: String, properties: String, queries: Int)

  private val Database = "merges"
  private val Rows = 100000L
  private val Files = 10

  /** Seconds that a `MERGE` of these tables takes at most, on a machine that does other things, too. */
  private val Patience = 300L

  /** A function whose first row waits until another transaction has been committed. */
  private object Hold {
    private val isFirst = new AtomicBoolean
    @volatile var entered: CountDownLatch = _
    @volatile var go: CountDownLatch = _

    def prepare(): Unit = {
      entered = new CountDownLatch(1)
      go = new CountDownLatch(1)
      isFirst.set(true)
    }

    def apply(): Boolean = {
      if (isFirst.getAndSet(false)) {
        entered.countDown()
        go.await(Patience, TimeUnit.SECONDS)
      }
      true
    }
  }
}
