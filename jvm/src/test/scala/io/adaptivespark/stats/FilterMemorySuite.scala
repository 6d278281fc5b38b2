package io.adaptivespark.stats

import java.nio.file.Files

import org.apache.spark.sql.{DataFrame, SparkSession}
import org.apache.spark.sql.execution.SparkPlan
import org.scalatest.funsuite.AnyFunSuite

import io.adaptivespark.SparkSuite
import io.adaptivespark.filter.AdaptiveFilter

class FilterMemorySuite extends AnyFunSuite with SparkSuite {
  private lazy val path = {
    val directory = Files.createTempDirectory("memory").resolve("t").toString
    spark.range(0, 200000, 1, 2).selectExpr(
      "abs(hash(id)) % 1000 AS h",
      "concat('name-', id) AS s"
    ).write.parquet(directory)
    directory
  }

  private def query(session: SparkSession, text: String = "%m%9%", bound: Int = 20): DataFrame =
    session.read.parquet(path).filter(s"s LIKE '%a%e%' AND s LIKE '$text' AND h < $bound")

  /** The leaves from first to last, in their initial order, and how often the order changed. */
  private def initial(query: DataFrame): (Seq[Int], Long) = {
    val plan: SparkPlan = executed(query)
    val Seq(filter) = collect(plan) { case f: AdaptiveFilter => f }
    (filter.initialOrder, filter.metrics("numReorderings").value)
  }

  private def learn(): Unit = {
    FilterMemory.clear()
    assert(initial(query(spark))._1 == Seq(0, 1, 2))
  }

  test("the next query with the same predicates starts in the learned order, in another session too") {
    learn()
    Seq(spark, spark.newSession()).foreach(session => assert(initial(query(session))._1.head == 2))
  }

  test("other constants are the same filter, another predicate is not") {
    learn()
    assert(initial(query(spark, text = "%m%8%", bound = 30))._1.head == 2)
    assert(initial(spark.read.parquet(path).filter("s LIKE '%a%e%' AND s LIKE '%m%9%' AND h > 980"))._1 ==
      Seq(0, 1, 2))
  }

  test("predicates written in another order are the same filter") {
    learn()
    val other = spark.read.parquet(path).filter("s LIKE '%m%9%' AND h < 20 AND s LIKE '%a%e%'")
    assert(initial(other)._1.head == 1)
  }

  test("initialOrder = written forgets") {
    learn()
    withConf("spark.sql.adaptiveFilter.initialOrder" -> "written") {
      assert(initial(query(spark))._1 == Seq(0, 1, 2))
    }
  }

  test("a predicate with a very long constant is remembered like any other") {
    val long = Vector(s"(s = '${"x" * 1000000}')")
    assert(FilterMemory.prior(long, "").isEmpty)
  }

  private val predicates = Vector("contains(s, 'e')", "contains(s, '9')", "(h < 20)")

  private def prior(of: (String, String)*): String =
    of.map { case (predicate, numbers) => s""""$predicate": [$numbers]""" }.mkString(
      """{"version": 1, "predicates": {""",
      ", ",
      "}}"
    )

  test("what an earlier run learned is the start of the first query of this one") {
    FilterMemory.clear()
    val learned = FilterMemory.prior(
      predicates,
      prior(predicates(2) -> "1000, 10, 5000", predicates(0) -> "1000, 1000, 90000")
    )
    assert(learned.get.monitored.toSeq == Seq(1000, 0, 1000) && learned.get.passed.toSeq == Seq(1000, 0, 10))
    assert(FilterMemory.prior(predicates, prior("(other > 1)" -> "10, 1, 10")).isEmpty)
  }

  for (
    broken <- Seq(
      "no json",
      """{"version": 2, "predicates": {}}""",
      """{"version": 1, "predicates": {"a": [1]}}""",
      """{"version": 1, "predicates": {"a": [1, 2, 3]}}""",
      """{"version": 1, "predicates": {"a": [-1, -2, 3]}}"""
    )
  )
    test(s"an earlier run's knowledge that is unreadable is ignored: $broken") {
      FilterMemory.clear()
      assert(FilterMemory.prior(predicates, broken).isEmpty)
      withConf("spark.sql.adaptiveFilter.prior" -> broken)(assert(query(spark).count() > 0))
    }
}
