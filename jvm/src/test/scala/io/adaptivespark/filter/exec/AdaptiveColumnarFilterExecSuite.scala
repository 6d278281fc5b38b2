package io.adaptivespark.filter.exec

import java.nio.file.Files
import java.util.concurrent.atomic.AtomicLong

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.execution.ColumnarToRowExec
import org.apache.spark.sql.functions._
import org.scalatest.funsuite.AnyFunSuite

import io.adaptivespark.{Forms, SparkSuite}

class AdaptiveColumnarFilterExecSuite extends AnyFunSuite with SparkSuite {
  import AdaptiveColumnarFilterExecSuite.calls

  private val quick =
    Seq("spark.sql.adaptiveFilter.collectRate" -> "3", "spark.sql.adaptiveFilter.calculateRate" -> "300")
  private val condition =
    "i <> 1000 AND s LIKE '%9%7%' AND i > 20 AND dt > DATE '2020-06-01' AND (d > 5 OR i < 30)"
  private val nested =
    "i <> 1000 AND (s LIKE '%9%7%' OR (dt > DATE '2020-06-01' AND s LIKE '%5%')) AND NOT (i < 3 AND s LIKE '%1%') AND d = d"

  private lazy val directory = {
    val path = Files.createTempDirectory("batches").toString
    val rows = spark
      .range(0, 100000, 1, 2)
      .selectExpr(
        "id",
        "if(id % 7 = 0, null, cast(id % 100 as int)) AS i",
        "if(id % 11 = 0, null, concat('name-', id % 1000)) AS s",
        "if(id % 13 = 0, double('NaN'), if(id % 17 = 0, -0.0D, id / 10)) AS d",
        "date_add(DATE '2020-01-01', cast(id % 700 as int)) AS dt",
        "id % 3 AS p"
      )
    rows.write.partitionBy("p").parquet(s"$path/parquet")
    rows.write.orc(s"$path/orc")
    path
  }

  private lazy val cached = spark.read.orc(s"$directory/orc").select("id", "i", "d", "p").cache()

  private def source(name: String): DataFrame = name match {
    case "parquet" => spark.read.parquet(s"$directory/parquet")
    case "orc" => spark.read.orc(s"$directory/orc")
    case "cache" => cached // Spark gives batches of cached numbers only
  }

  private def batchFilters(query: DataFrame): Seq[AdaptiveColumnarFilterExec] =
    collect(executed(query)) { case f: AdaptiveColumnarFilterExec => f }

  private val numeric =
    "i <> 1000 AND hash(i) % 5 <> 2 AND (d > 5 OR i < 30) AND i > 20 AND (id % 3 = 1 OR hash(id) % 2 = 0 OR p = 2)"

  for (
    (name, where) <- Seq(
      "parquet" -> condition,
      "parquet" -> nested,
      "orc" -> condition,
      "orc" -> nested,
      "cache" -> numeric
    );
    policy <- Seq("rank", "conditional")
  )
    test(s"keeps rows when the order changes: $name, $policy, $where") {
      val cold =
        Seq("spark.sql.adaptiveFilter.policy" -> policy, "spark.sql.adaptiveFilter.initialOrder" -> "written")
      withConf(quick ++ cold: _*) {
        def query = source(name).filter(where).groupBy("i", "p").agg(count("*"), sum("id"), max("d"))
        val expected = adaptive(false)(sorted(query))
        val ran = query
        assert(sorted(ran) == expected && expected.nonEmpty)
        val Seq(filter) = batchFilters(ran)
        assert(collect(ran.queryExecution.executedPlan) { case c: ColumnarToRowExec => c }.isEmpty)
        assert(filter.metrics("numReorderings").value > 0, "the order did not change")
        assert(filter.metrics("numInputRows").value == 100000)
      }
    }

  for (compiler <- Seq("janino", "jdk"); offHeap <- Seq("true", "false"))
    test(
      s"200 conjuncts compile and keep their rows ($compiler, off heap $offHeap)",
      Forms.unless((compiler == "jdk") == (offHeap == "true")): _*
    ) {
      withConf(quick ++
        Seq(
          "spark.sql.codegen.compiler" -> compiler,
          "spark.sql.columnVector.offheap.enabled" -> offHeap
        ): _*) {
        val many = (1 to 200).map(k => s"(s <> 'name-$k' OR i > ${k % 90})").mkString(" AND ")
        def query = source("parquet").filter(many)
        assert(sorted(query) == adaptive(false)(sorted(query)))
        assert(batchFilters(query).size == 1)
      }
    }

  test("no method is too long for HotSpot, however many conjuncts there are") {
    val many = (1 to 300).map(k => s"(s LIKE '%${k}x%' OR i <> ${k % 90})").mkString(" AND ")
    val plan = source("parquet").filter(many).queryExecution.executedPlan
    val stats = org.apache.spark.sql.execution.debug.codegenStringSeq(plan).map(_._3)
    assert(stats.nonEmpty && stats.forall(_.maxMethodCodeSize < 8000), stats)
  }

  for (limit <- Seq(1, 3, 40); passing <- Seq(2, 10, 50))
    test(
      s"LIMIT $limit over a predicate that passes one row in $passing evaluates at most twice as many as Spark"
    ) {
      val slow = udf { (id: Long) => calls.incrementAndGet(); id % passing == passing - 1 }
      def query = source("orc").filter(slow(col("id")) && col("d") >= 0).limit(limit)
      def evaluated: Long = {
        calls.set(0)
        assert(query.collect().length == limit)
        calls.get
      }
      val stock = adaptive(false)(evaluated)
      val ours = evaluated
      // Sampling begins at the 127th row, with a slice of 128.
      assert(ours <= 2 * stock + (if (stock < 127) 0 else 2 * 128), s"$ours instead of $stock")
      val Seq(filter) = batchFilters(query)
      assert(filter.metrics("numInputRows").value <= 2 * stock)
    }

  test("a conjunct's error does not show before the row that raises it is asked for") {
    withConf("spark.sql.ansi.enabled" -> "true") {
      def query = source("orc").filter("s LIKE '%name%' AND i >= 0 AND 100 / (i - 50) < 9")
      assert(query.limit(3).collect().length == 3)
      adaptive(false)(assert(query.limit(3).collect().length == 3))
      raises[ArithmeticException](query.count())
      adaptive(false)(raises[ArithmeticException](query.count()))
    }
  }

  test("guarded: what an error follows in written order is never evaluated on its rows, in samples neither") {
    withConf(quick :+ ("spark.sql.ansi.enabled" -> "true"): _*) {
      def query = source("parquet").filter("s LIKE '%9%7%' AND i <> 50 AND 100 / (i - 50) < 9 AND d > 5")
      assert(sorted(query) == adaptive(false)(sorted(query)) && batchFilters(query).nonEmpty)
    }
  }

  test("a conjunct on a dictionary-encoded column is evaluated once an entry") {
    val slow = udf { (s: String) => calls.incrementAndGet(); s != null && s.endsWith("7") }
    def query = source("parquet").filter(slow(col("s")) && col("i") > 20)
    val expected = adaptive(false)(sorted(query))
    assert(calls.getAndSet(0) > 80000)
    assert(sorted(query) == expected && expected.nonEmpty)
    // 1,000 names in each of the files, and null
    assert(calls.get < 20000, calls.get)
  }

  test("an error within a batch is raised although the rows before it are evaluated again") {
    withConf("spark.sql.ansi.enabled" -> "true") {
      val ids = spark.range(0, 5000, 1, 1).selectExpr("id", "hash(id) AS h").cache()
      def query = ids.filter("h % 5 <> 9 AND 10 / (id - 4000) <> 7")
      val seen = query.limit(3990).collect().map(_.getLong(0)).toSeq
      assert(seen == (0L until 3990L))
      Seq(0, 3, 100, 4999).foreach { bad =>
        val raised = ids.filter(s"h % 5 <> 9 AND 10 / (id - $bad) <> 77")
        if (bad > 0) assert(raised.limit(bad).collect().map(_.getLong(0)).toSeq == (0L until bad))
        raises[ArithmeticException](raised.limit(bad + 1).collect())
      }
      raises[ArithmeticException](query.collect())
      assert(batchFilters(query.limit(1)).nonEmpty)
    }
  }
}

object AdaptiveColumnarFilterExecSuite {
  // Of this JVM, where in local mode tasks count. A local variable would go to them as a copy.
  val calls = new AtomicLong
}
