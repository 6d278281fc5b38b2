package io.adaptivespark.history.text

import java.nio.file.Files

import org.apache.spark.sql.functions.col
import org.scalatest.funsuite.AnyFunSuite

import io.adaptivespark.SparkSuite

class WrittenSqlSuite extends AnyFunSuite with SparkSuite {
  private val folder = Files.createTempDirectory("written").toString

  override protected def beforeAll(): Unit = {
    super.beforeAll()
    spark.range(0, 10000, 1, 2).selectExpr("id", "id % 7 v", "id % 100 k", "named_struct('a', id, 'b', id) s")
      .write.parquet(s"$folder/t")
    spark.read.parquet(s"$folder/t").createOrReplaceTempView("t")
  }

  /** The predicates of a query's filters, as its history has them. */
  private def predicates(query: String): Seq[String] = {
    val tag = s"written ${query.hashCode}"
    withConf("spark.sql.adaptiveFilter.queryTag" -> tag)(spark.sql(query).collect())
    val found = spark.sql("SELECT * FROM adaptive_filter_stats() ORDER BY filter_id, written_position")
      .filter(col("query_tag") === tag).collect().toSeq.map(_.getAs[String]("predicate"))
    assert(found.nonEmpty)
    assert(!found.exists(_.matches("(?s).*(\\b_w|_extract_|__|#).*")), found)
    found
  }

  test("a window function within an expression") {
    val found = predicates(
      "SELECT * FROM (SELECT id, v, row_number() OVER (PARTITION BY k * 2 ORDER BY id) + v AS n FROM t) WHERE n > 5 AND v < 6"
    )
    val Seq(number) = found.filter(_.endsWith(" > 5L)"))
    assert(number.contains("row_number() OVER (PARTITION BY (t.k * 2L) ORDER BY t.id "), number)
  }

  test("a subquery without an alias has no name, neither in a predicate nor in its shape") {
    val query =
      "SELECT id FROM (SELECT id, v, count(*) OVER (PARTITION BY k) + 1 AS n FROM t) WHERE n > 5 AND id > v"
    assert(predicates(query).forall(!_.contains("auto_generated")))
    val shapes = spark.sql("SELECT shape FROM adaptive_filter_stats()").filter(
      col("query_tag") === s"written ${query.hashCode}"
    ).collect().map(_.getString(0))
    assert(shapes.nonEmpty && !shapes.exists(_.contains("auto_generated")), shapes.toSeq)
  }

  test("an aggregate without an alias") {
    val found = predicates(
      "SELECT k FROM t GROUP BY k HAVING avg(if(v > 3, 1, 0)) > 0.1 AND max(v) < 9 AND count(DISTINCT id) > 5"
    )
    assert(found.exists(_.contains("(avg(")) && found.exists(_.startsWith("(max(")), found)
    assert(found.exists(_.startsWith("(count(DISTINCT ")), found)
  }

  test("a field of a struct that is taken out early") {
    val found = predicates(
      "SELECT s.a FROM (SELECT s, row_number() OVER (PARTITION BY k ORDER BY id) AS r FROM t) WHERE s.a > 1 AND r % 3 = 1"
    )
    assert(found.exists(_.contains("s.`a` > 1")) && found.exists(_.contains("(r % 3)")), found)
  }

  test("a name of the user's stays, whatever it is of") {
    assert(
      predicates("SELECT * FROM (SELECT k, count(*) AS _n FROM t GROUP BY k) WHERE _n > 1 AND _n < 1000") ==
        Seq("(_n > 1L)", "(_n < 1000L)")
    )
  }
}
