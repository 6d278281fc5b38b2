package io.adaptivespark.join.build

import org.scalatest.funsuite.AnyFunSuite

import io.adaptivespark.Forms
import io.adaptivespark.join.JoinTables

/** A join whose side has an exchange further down, since the operators above it keep its order and its partitions. */
class BuildSideSuite extends AnyFunSuite with JoinTables {

  private val sides = Seq(
    "an aggregate" -> "SELECT k, count(*) AS n FROM dim WHERE dep = 7 GROUP BY k",
    "an aggregate with a condition" ->
      "SELECT k, n FROM (SELECT k, count(*) AS n FROM dim WHERE dep = 7 GROUP BY k) WHERE n + k % 3 > 1",
    "distinct rows" -> "SELECT DISTINCT k, dep AS n FROM dim WHERE dep = 7",
    "the newest rows" ->
      """SELECT k, n FROM (SELECT k, dep AS n, row_number() OVER (PARTITION BY k ORDER BY dep) AS at FROM dim WHERE dep = 7)
        |WHERE at = 1""".stripMargin,
    "a window" -> "SELECT k, sum(dep) OVER (PARTITION BY k) AS n FROM dim WHERE dep = 7"
  )

  for {
    (name, side) <- sides
    (strategy, conf) <- strategies if strategy != "broadcast"
    aqe <- Seq("true", "false")
    (kind, join) <- Seq("join" -> "fact JOIN d ON id = k", "outer join" -> "fact RIGHT JOIN d ON id = k")
  } test(
    s"$name filters the other side, $strategy, $kind, AQE $aqe",
    Forms.unless(strategy == "sort merge" && (kind == "join") == (aqe == "true")): _*
  ) {
    directory
    val plan = onAndOff(
      s"WITH d AS ($side) SELECT count(id), sum(id), sum(n) FROM $join",
      conf :+ ("spark.sql.adaptive.enabled" -> aqe): _*
    )
    assert(filters(plan).size == 1 && rowsOf(plan, "fact") < 200000, plan)
  }

  test("a side that is grouped by more than the key filters by the key") {
    directory
    val plan = onAndOff(
      "WITH d AS (SELECT k, g, count(*) AS n FROM dim WHERE dep = 7 GROUP BY k, g) " +
        "SELECT count(*), sum(n) FROM fact JOIN d ON id = k AND fact.g = d.g",
      noBroadcast
    )
    assert(filters(plan).nonEmpty, plan)
  }
}
