package io.adaptivespark.formats

import scala.util.Try

import org.apache.spark.sql.execution.SparkPlan
import org.scalatest.{Outcome, TestSuite}

import io.adaptivespark.{AdaptiveSparkExtensions, DamagedTexts, Interpreted, SparkSuite}
import io.adaptivespark.conf.Build
import io.adaptivespark.join.exec.DynamicFilterExec

/** A session with a table format, whose jars `build_support` brings; without them, tests are cancelled. */
trait FormatSuite extends TestSuite with SparkSuite {

  /** The class of its extension. */
  protected def extension: String

  /** The confs that a session with it has beside its extension. */
  protected def formatConf: Map[String, String]

  /** The catalog that its tables are in. */
  protected def catalog: String

  private lazy val isThere = Try(Class.forName(extension)).isSuccess

  override protected def staticConf: Map[String, String] = super.staticConf ++ (
    if (isThere)
      formatConf + ("spark.sql.extensions" -> s"${classOf[AdaptiveSparkExtensions].getName},$extension")
    else Map.empty
  )

  /** The plan of a query whose rows are those of stock Spark. */
  protected def planAsStock(query: String): SparkPlan = {
    val expected = stock(sorted(spark.sql(SparkSuite.withoutHints(query))))
    val asked = spark.sql(query)
    assert(sorted(asked) == expected)
    asked.queryExecution.executedPlan
  }

  /** The files of the scan that a query with this tag filters, as its own conditions leave them, and those read. */
  protected def files(tag: String): (Long, Long) = {
    val Array(row) = spark.sql(
      s"SELECT files, files_read FROM dynamic_filter_stats() WHERE query_tag = '$tag' AND verdict_code = 'filtered'"
    ).collect()
    (row.getLong(0), row.getLong(1))
  }

  /** Asserts that the keys of a join find texts in files whose first or last text is no UTF-8. */
  protected def findsTexts(format: String): Unit = {
    // more rows than there are keys
    spark.sql(s"CREATE TABLE texts USING $format AS SELECT concat('t', id) AS v FROM range(1000)")
    DamagedTexts.Queries.foreach(query => spark.sql(s"INSERT INTO texts $query"))
    val marks = DamagedTexts.Texts.map(text => s"('$text', 1)").mkString(", ")
    spark.sql(s"CREATE TABLE marks USING $format AS SELECT * FROM VALUES $marks, ('z', 2) m(k, dep)")
    val query = "SELECT /*+ DYNAMIC_FILTER(texts) */ v FROM texts JOIN marks ON v = k WHERE dep = 1"
    assert(collectWithSubqueries(planAsStock(query)) { case filter: DynamicFilterExec => filter }.size == 1)
    assert(spark.sql(query).count() == 2)
  }

  /** `body` without the extension's work, and without generated code, which takes small tables longer than without. */
  protected def stock[T](body: => T): T = working(isOn = false)(body)

  /** `body` with the extension's work and all code that Spark generates, or without either. */
  protected def working[T](isOn: Boolean)(body: => T): T =
    withConf(SparkSuite.Features.map(_ -> isOn.toString) ++ Interpreted.conf(!isOn): _*)(body)

  override protected def withFixture(test: NoArgTest): Outcome = {
    assume(isThere, s"$extension has no release for Spark ${Build.sparkLine}.")
    super.withFixture(test)
  }
}
