package io.adaptivespark.formats

import java.util.concurrent.{CountDownLatch, TimeUnit}
import java.util.concurrent.atomic.AtomicBoolean

import scala.concurrent.{Await, Future}
import scala.concurrent.ExecutionContext.Implicits.global
import scala.concurrent.duration.Duration

import org.scalatest.funsuite.AnyFunSuite

import io.adaptivespark.SparkSuite

/** The keys of its source leave out row groups of the target in each step of Delta Lake's `MERGE`, and other
  * transactions are none the wiser.
  */
class DeltaMergeSuite extends AnyFunSuite with DeltaSuite with FormatOutcomes {
  import DeltaMergeSuite._

  override protected def tables: FormatTables = DeltaTables

  override protected def staticConf: Map[String, String] = super.staticConf ++ Map(
    "spark.sql.dynamicFilter.minProbeSize" -> "0",
    // one task waits, and another query goes on
    "spark.master" -> "local[3]",
    "spark.hadoop.parquet.block.size" -> "16384",
    "spark.hadoop.parquet.page.size" -> "2048"
  )

  private lazy val sources: Unit = {
    spark.sql("CREATE TABLE changes USING delta AS SELECT id + 42000 AS k, id AS v FROM range(20)")
    spark.sql("CREATE TABLE others USING delta AS SELECT id + 42010 AS k, id AS v FROM range(20)")
    spark.sql("CREATE TABLE apart USING delta AS SELECT id + 91000 AS k, id AS v FROM range(20)")
    spark.udf.register("hold", (_: Long) => Hold())
  }

  /** `t` anew: numbers in a row, some thousand a file. */
  private def create(vectors: Boolean): Unit = {
    sources
    spark.sql("DROP TABLE IF EXISTS t")
    spark.sql(
      s"CREATE TABLE t (id BIGINT, v BIGINT) USING delta TBLPROPERTIES ('delta.enableDeletionVectors' = '$vectors')"
    )
    spark.range(0, Rows, 1, Files).selectExpr(
      "id",
      "-id AS v"
    ).write.format("delta").mode("append").saveAsTable(
      "t"
    )
  }

  private def merge(source: String, matched: String = ""): String =
    s"""MERGE INTO t USING $source ON t.id = k WHEN MATCHED$matched THEN UPDATE SET v = changed
       |WHEN NOT MATCHED THEN INSERT (id, v) VALUES (k, changed)""".stripMargin

  for {
    vectors <- Seq(true, false)
    (strategy, threshold) <- Seq("broadcast" -> "10MB", "sort merge" -> "-1")
    // Delta Lake keeps the rows of a query before it joins them, and joins those of its own tables as they are.
    (name, source) <- Seq(
      "a query" -> "(SELECT k, max(v) AS changed FROM changes GROUP BY k)",
      "a table" -> "(SELECT k, v AS changed FROM changes)"
    )
  } test(
    s"by $name, $strategy, ${if (vectors) "deletion vectors" else "rewritten files"}: few rows are looked at for matches"
  ) {
    create(vectors)
    memory.forget()
    val tag = s"$name $strategy $vectors"
    withConf("spark.sql.autoBroadcastJoinThreshold" -> threshold, "spark.sql.adaptiveFilter.queryTag" -> tag)(
      spark.sql(merge(source))
    )
    val read = spark.sql(
      s"""SELECT rows_read FROM dynamic_filter_stats()
         |WHERE query_tag = '$tag' AND verdict_code = 'filtered' AND scan LIKE '%.t' ORDER BY query_id""".stripMargin
    ).collect().toSeq.map(_.getLong(0))
    // Files are rewritten with all their rows; deletion vectors are found by the rows with a match.
    assert(read.nonEmpty && read.forall(_ < Rows / Files / 2), read)
    if (vectors) assert(read.size > 1, read)
    assert(spark.sql("SELECT count(*), sum(v) FROM t WHERE v >= 0").head().toSeq == Seq(21L, 190L))
    assert(spark.table("t").count() == Rows)
  }

  for (
    (name, source) <- Seq("the same rows" -> "others", "rows of another file" -> "apart");
    vectors <- Seq(true, false)
  )
    test(
      s"two MERGEs at once, of $name, ${if (vectors) "deletion vectors" else "rewritten files"}, end as they do without filters"
    ) {
      val Seq(stock, ours) = Seq("false", "true").map { on =>
        create(vectors)
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
            history(tables.versions)
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

private object DeltaMergeSuite {
  private val Rows = 100000L
  private val Files = 10

  /** Seconds that a `MERGE` of these tables takes at most, on a machine that does other things, too. */
  private val Patience = 300L

  /** A function whose first row waits until another transaction has been committed. */
  object Hold {
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
