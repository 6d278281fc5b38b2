package org.apache.spark.sql.execution.adaptivespark

import org.apache.spark.sql.AnalysisException
import org.scalatest.funsuite.AnyFunSuite

import io.adaptivespark.SparkSuite
import io.adaptivespark.shim.SessionShim.Local

class SessionCopySuite extends AnyFunSuite with SparkSuite {

  override protected def staticConf: Map[String, String] = Map(
    "spark.sql.catalog.other" -> "org.apache.spark.sql.execution.datasources.v2.jdbc.JDBCTableCatalog",
    "spark.sql.catalog.other.url" -> "jdbc:derby:memory:other;create=true",
    "spark.sql.catalog.other.driver" -> "org.apache.derby.jdbc.EmbeddedDriver"
  )

  private def session(setup: String*): Local = {
    val base = spark.newSession().asInstanceOf[Local]
    setup.foreach(base.sql(_))
    base
  }

  private def answer(session: Local, query: String): Any = session.sql(query).head().get(0)

  test("a copy has the variables, with the values they have now") {
    assume(parses("DECLARE VARIABLE n INT"), "This Spark has no session variables.")
    val base = session("DECLARE VARIABLE threshold INT DEFAULT 5", "SET VAR threshold = 7")
    val copy = SessionCopy.of(base)
    assert(answer(copy, "SELECT threshold") == 7)
    copy.sql("SET VAR threshold = 8")
    base.sql("DECLARE VARIABLE later INT DEFAULT 1")
    assert(answer(base, "SELECT threshold") == 7)
    assert(intercept[AnalysisException](copy.sql("SELECT later")).getMessage.contains("later"))
  }

  test("a copy has the current schema") {
    val base = session("CREATE SCHEMA IF NOT EXISTS staging", "USE staging")
    assert(answer(SessionCopy.of(base), "SELECT current_schema()") == "staging")
  }

  test("a copy has the current catalog, and the schema in it") {
    val base = session("USE other.SYS")
    val copy = SessionCopy.of(base)
    assert(answer(copy, "SELECT current_catalog() || '.' || current_schema()") == "other.SYS")
    copy.sql("USE spark_catalog.default")
    assert(answer(base, "SELECT current_catalog()") == "other")
  }

  test("a copy has confs, temporary views and functions; what it changes stays its own") {
    val base = session(
      "SET spark.sql.session.timeZone=Asia/Tokyo",
      "CREATE TEMPORARY VIEW one AS SELECT 1 AS n"
    )
    val two = "CREATE TEMPORARY FUNCTION two() RETURNS INT RETURN 2"
    if (parses(two)) base.sql(two) else base.udf.register("two", () => 2)
    val copy = SessionCopy.of(base)
    assert(answer(copy, "SELECT current_timezone() || (SELECT n FROM one) || two()") == "Asia/Tokyo12")
    copy.sql("SET spark.sql.session.timeZone=UTC")
    copy.sql("CREATE OR REPLACE TEMPORARY VIEW one AS SELECT 3 AS n")
    assert(answer(base, "SELECT current_timezone() || (SELECT n FROM one)") == "Asia/Tokyo1")
  }

  test("a copy has a catalog that only its session's confs name") {
    val base = session()
    staticConf.foreach { case (key, value) =>
      base.conf.set(key.replace("other", "own"), value.replace("other", "own"))
    }
    base.sql("USE own.SYS")
    val copy = spark.asInstanceOf[Local].withActive(SessionCopy.of(base))
    assert(answer(copy, "SELECT current_catalog() || '.' || current_schema()") == "own.SYS")
  }
}
