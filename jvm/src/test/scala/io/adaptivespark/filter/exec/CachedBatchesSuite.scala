package io.adaptivespark.filter.exec

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.execution.adaptivespark.OneTask
import org.apache.spark.sql.execution.columnar.{CacheSerializer, DefaultCachedBatchSerializer}
import org.apache.spark.sql.execution.vectorized.{OffHeapColumnVector, OnHeapColumnVector}
import org.apache.spark.sql.functions._
import org.apache.spark.sql.vectorized.ColumnarBatch
import org.scalatest.funsuite.AnyFunSuite

import io.adaptivespark.{Forms, SparkSuite}

/** The form over batches on cached tables, whose batches come from whatever serializer the application has. */
abstract class CachedBatchesSuite(serializer: Class[_]) extends AnyFunSuite with SparkSuite {
  override protected def staticConf: Map[String, String] =
    Map("spark.sql.cache.serializer" -> serializer.getName)

  override protected def beforeAll(): Unit = {
    super.beforeAll()
    CacheSerializer.forget()
  }

  override protected def afterAll(): Unit =
    try super.afterAll()
    finally CacheSerializer.forget()

  protected def vectorClass(offHeap: Boolean): Class[_]
  protected def columns: Seq[String]
  protected def conditions: Seq[String]

  private def table: DataFrame = spark.range(0, 60000, 1, 2).selectExpr("id" +: columns: _*)

  private def cached[T](body: DataFrame => T): T = {
    val rows = table.cache()
    try body(rows)
    finally rows.unpersist(blocking = true)
  }

  private def quick(offHeap: Boolean) = Seq(
    "spark.sql.adaptiveFilter.collectRate" -> "3",
    "spark.sql.adaptiveFilter.calculateRate" -> "300",
    "spark.sql.adaptiveFilter.initialOrder" -> "written",
    "spark.sql.inMemoryColumnarStorage.batchSize" -> "3000",
    "spark.sql.columnVector.offheap.enabled" -> offHeap.toString
  )

  /** Those of a query that ran; another run would begin with metrics of its own. */
  private def batchFilters(ran: DataFrame): Seq[AdaptiveColumnarFilterExec] =
    collect(ran.queryExecution.executedPlan) { case f: AdaptiveColumnarFilterExec => f }

  for (offHeap <- Seq(false, true)) {
    for (aqe <- Seq(false, true))
      test(s"keeps rows when the order changes (off heap $offHeap, AQE $aqe)", Forms.unless(aqe): _*) {
        withConf(quick(offHeap) :+ ("spark.sql.adaptive.enabled" -> aqe.toString): _*) {
          cached { rows =>
            conditions.foreach { condition =>
              def query = rows.filter(condition).groupBy("i").agg(count("*"), sum("id"), max("d"))
              val expected = adaptive(false)(sorted(query))
              val ran = query
              assert(sorted(ran) == expected && expected.nonEmpty)
              val Seq(filter) = batchFilters(ran)
              assert(filter.metrics("numReorderings").value > 0, s"the order did not change: $condition")
              assert(filter.metrics("numInputRows").value == 60000)
              // A stage of AQE does not say what its vectors are.
              val vectors = filter.child.vectorTypes
              assert(vectors.isEmpty == aqe && vectors.forall(_.toSet == Set(vectorClass(offHeap).getName)))
            }
          }
        }
      }

    test(s"rows that a query holds on to are not those of a later batch (off heap $offHeap)") {
      withConf(quick(offHeap): _*) {
        cached { rows =>
          def query = rows.filter(conditions.head).orderBy(col("i").desc_nulls_last, col("id"))
          val expected = adaptive(false)(query.collect().toSeq.map(_.toString))
          assert(query.collect().toSeq.map(_.toString) == expected && expected.size > 3000)
        }
      }
    }

    test(s"a LIMIT stops within a batch, and an error shows where Spark's does (off heap $offHeap)") {
      withConf(quick(offHeap) :+ ("spark.sql.ansi.enabled" -> "true"): _*) {
        cached { rows =>
          def query = rows.filter("hash(id) % 5 <> 9 AND 10 / (id - 4000) <> 77")
          assert(query.limit(3990).collect().map(_.getLong(0)).toSeq == (0L until 3990L))
          raises[ArithmeticException](query.limit(4001).collect())
          val first = query.limit(1)
          assert(first.collect().length == 1 && batchFilters(first).nonEmpty)
        }
      }
    }
  }
}

class DefaultCachedBatchesSuite extends CachedBatchesSuite(classOf[DefaultCachedBatchSerializer]) {
  override protected def vectorClass(offHeap: Boolean): Class[_] =
    if (offHeap) classOf[OffHeapColumnVector] else classOf[OnHeapColumnVector]

  // It gives batches of numbers only.
  override protected def columns: Seq[String] = Seq(
    "if(id % 7 = 0, null, cast(id % 100 as int)) AS i",
    "if(id % 13 = 0, double('NaN'), if(id % 17 = 0, -0.0D, id / 10)) AS d"
  )
  override protected def conditions: Seq[String] = Seq(
    "hash(i) % 5 <> 7 AND hash(id) % 3 = 1 AND (d > 5 OR i < 30) AND i > 20",
    "hash(d) % 5 <> 7 AND (id % 3 = 5 OR hash(id) % 2 = 0) AND (hash(id) % 7 = 1 OR hash(i) % 7 = 1 OR d < 0)"
  )

  test("a task closes a batch as it asks for the next one") {
    withConf("spark.sql.inMemoryColumnarStorage.batchSize" -> "1000") {
      val rows = spark.range(0, 5000, 1, 1).selectExpr("id", "id % 7 AS i").cache()
      try {
        val asked = rows.filter("hash(id) % 5 <> 7 AND hash(i) % 3 = 1")
        // on Spark 3.5 a plan has no filter over batches before it ran
        asked.collect()
        val Seq(filter) = collect(asked.queryExecution.executedPlan) { case f: AdaptiveColumnarFilterExec =>
          f
        }
        val Seq(input) = filter.inputRDDs()
        // as the task ends, Spark closes all of them
        OneTask {
          val batches = OneTask.rows(input).asInstanceOf[Iterator[ColumnarBatch]].toList
          assert(batches.size == 5)
          batches.init.foreach(batch => raises[NullPointerException](batch.column(0).getLong(0)))
          assert(batches.last.column(0).getLong(0) == 4000)
        }
      } finally rows.unpersist(blocking = true)
    }
  }
}
