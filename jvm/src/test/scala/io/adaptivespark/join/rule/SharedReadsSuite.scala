package io.adaptivespark.join.rule

import org.apache.spark.sql.functions.udf
import org.scalatest.funsuite.AnyFunSuite

import io.adaptivespark.Forms
import io.adaptivespark.join.JoinTables

class SharedReadsSuite extends AnyFunSuite with JoinTables {

  for (aqe <- Seq("true", "false"))
    test(
      s"an exchange that another part of the query reads is not filtered, AQE $aqe",
      Forms.unless(aqe == "true"): _*
    ) {
      val plan = onAndOff(
        """WITH f AS (SELECT id, s FROM fact DISTRIBUTE BY id)
          |SELECT count(*), sum(id) FROM f JOIN dim ON id = k WHERE dep = 7 UNION ALL
          |SELECT count(*), sum(id) FROM f JOIN dim ON id = k""".stripMargin,
        noBroadcast,
        "spark.sql.adaptive.enabled" -> aqe
      )
      assert(filters(plan).isEmpty && rowsOf(plan, "fact") == 200000, plan)
    }

  for (aqe <- Seq("true", "false"); (strategy, conf) <- strategies.take(2)) {
    val all = conf :+ ("spark.sql.adaptive.enabled" -> aqe)
    val shared = "WITH f AS (SELECT id, i, s FROM fact WHERE id >= 0 AND i >= 0 DISTRIBUTE BY s)"
    def joined(key: String, dep: Int) = s"SELECT id, i, s, ki FROM f JOIN dim ON $key WHERE dep = $dep"

    test(
      s"an exchange that several joins read is filtered by the keys of all of them, $strategy, AQE $aqe",
      Forms.unless((aqe == "true") == (strategy != "sort merge")): _*
    ) {
      val plan = onAndOff(
        s"$shared ${Seq(7, 8, 8).map(joined("id = k", _)).mkString(" UNION ALL ")}",
        all: _*
      )
      val Seq(filter) = onceEach(filters(plan))(_.metrics("numKeys").id)
      assert(filter.metrics("numKeys").value == 20 && filter.toString.contains(" or "), plan)
      assert(rowsOf(plan, "fact") < 100000 && rowsOf(plan, "dim") == 2000, plan)
    }

    test(
      s"a copy of an exchange that lies within another shared one has the same filter, $strategy, AQE $aqe",
      Forms.unless((aqe == "true") == (strategy != "sort merge")): _*
    ) {
      val x = s"SELECT i, count(*) AS n, max(s) AS s FROM (${joined("id = k", 7)}) GROUP BY i"
      def query(third: String) =
        s"$shared, x AS ($x) SELECT n, i, s FROM x UNION ALL SELECT i, n, s FROM x UNION ALL SELECT id, i, s FROM $third"
      val whole = onAndOff(query("f"), all: _*)
      assert(filters(whole).isEmpty && rowsOf(whole, "fact") == 200000 && rowsOf(whole, "dim") == 1000, whole)
      val some = onAndOff(query(s"(${joined("id = k", 8)})"), all: _*)
      assert(filters(some).nonEmpty && rowsOf(some, "fact") < 100000 && rowsOf(some, "dim") == 2000, some)
    }

    test(
      s"a hint for one copy of a shared exchange does not make it two, $strategy, AQE $aqe",
      Forms.unless((aqe == "true") == (strategy != "sort merge")): _*
    ) {
      val hinted = joined("id = k", 8).replaceFirst("SELECT", "SELECT /*+ NO_DYNAMIC_FILTER(f) */")
      val plan = onAndOff(s"$shared ${joined("id = k", 7)} UNION ALL $hinted", all: _*)
      assert(filters(plan).isEmpty && rowsOf(plan, "fact") == 200000, plan)
    }

    test(
      s"joins by different columns of an exchange have no filter in common, $strategy, AQE $aqe",
      Forms.unless((aqe == "true") == (strategy != "sort merge")): _*
    ) {
      val plan = onAndOff(s"$shared ${joined("id = k", 7)} UNION ALL ${joined("i = ki", 8)}", all: _*)
      assert(filters(plan).isEmpty && rowsOf(plan, "fact") == 200000, plan)
    }
  }

  for (aqe <- Seq("true", "false")) {
    test(
      s"an exchange that a subquery reads too is not filtered, AQE $aqe",
      Forms.unless(aqe == "true"): _*
    ) {
      val plan = onAndOff(
        """WITH f AS (SELECT id, count(*) AS n FROM fact WHERE id >= 0 AND g > 1 GROUP BY id)
          |SELECT count(*), sum(n) FROM f JOIN dim ON f.id = k WHERE dep = 7 AND n >= (SELECT avg(n) FROM f)""".stripMargin,
        noBroadcast,
        "spark.sql.adaptive.enabled" -> aqe
      )
      assert(filters(plan).isEmpty && rowsOf(plan, "fact") == 200000, plan)
    }

    test(
      s"an exchange that a subquery of a subquery reads too is not filtered, AQE $aqe",
      Forms.unless(aqe == "true"): _*
    ) {
      val plan = onAndOff(
        """WITH f AS (SELECT id, count(*) AS n FROM fact WHERE id >= 0 AND g > 1 GROUP BY id)
          |SELECT count(*), sum(n) FROM f JOIN dim ON f.id = k WHERE dep = 7
          |  AND ki > (SELECT min(ki) FROM dim WHERE ki < (SELECT avg(n) FROM f) + 10000)""".stripMargin,
        noBroadcast,
        "spark.sql.adaptive.enabled" -> aqe
      )
      assert(filters(plan).isEmpty && rowsOf(plan, "fact") == 200000, plan)
    }

    test(
      s"an exchange that a subquery reads too is filtered where that filters it alike, AQE $aqe",
      Forms.unless(aqe == "true"): _*
    ) {
      val plan = onAndOff(
        """WITH f AS (SELECT fact.g, count(*) AS n FROM fact JOIN dim ON id = k WHERE dep = 7 AND i >= 0 GROUP BY fact.g)
          |SELECT g, n FROM f WHERE n >= (SELECT avg(n) FROM f)""".stripMargin,
        noBroadcast,
        "spark.sql.adaptive.enabled" -> aqe
      )
      assert(filters(plan).nonEmpty && rowsOf(plan, "fact") < 200000 && rowsOf(plan, "dim") == 1000, plan)
    }

    test(
      s"what comes out otherwise each time is computed once for a subquery too, AQE $aqe",
      Forms.unless(aqe == "true"): _*
    ) {
      directory
      spark.udf.register("rnd", udf(() => scala.util.Random.nextDouble()).asNondeterministic())
      val plan = onAndOff(
        """WITH f AS (SELECT fact.id, b.r FROM fact JOIN (SELECT k, rnd() AS r FROM dim) b ON fact.id = b.k
          |  WHERE fact.g > 1 AND fact.i >= 0)
          |SELECT count(*) FROM f JOIN (SELECT k FROM dim WHERE dep < 50) d ON f.id = d.k
          |WHERE f.r >= (SELECT min(r) FROM f)""".stripMargin,
        noBroadcast,
        "spark.sql.adaptive.enabled" -> aqe
      )
      assert(filters(plan).isEmpty && rowsOf(plan, "fact") == 200000, plan)
    }
  }

  for (
    aqe <- Seq("true", "false"); (join, isFiltered) <- Seq("ANTI" -> false, "OUTER" -> false, "SEMI" -> true)
  )
    test(
      s"a shared exchange is filtered only if all joins may lose rows, left $join, AQE $aqe",
      Forms.unless(aqe == "true"): _*
    ) {
      val plan = onAndOff(
        s"""SELECT id, i, s, ki FROM fact JOIN dim ON id = k WHERE dep = 7 UNION ALL
           |SELECT id, i, s, 1 FROM fact LEFT $join JOIN (SELECT k FROM dim WHERE dep = 8) ON id = k
           |WHERE id IS NOT NULL""".stripMargin,
        noBroadcast,
        "spark.sql.adaptive.enabled" -> aqe
      )
      assert(filters(plan).nonEmpty == isFiltered, plan)
      assert(rowsOf(plan, "fact") == 200000 ^ isFiltered && rowsOf(plan, "dim") == 2000, plan)
    }

  for (aqe <- Seq("true", "false"))
    test(
      s"an exchange within one that is read several times is filtered, once for all, AQE $aqe",
      Forms.unless(aqe == "true"): _*
    ) {
      val plan = onAndOff(
        """WITH f AS (SELECT fact.g, count(*) AS n, sum(id) AS t FROM fact JOIN dim ON id = k WHERE dep = 7 GROUP BY fact.g)
          |SELECT 'a', g, n FROM f UNION ALL SELECT 'b', g, t FROM f""".stripMargin,
        noBroadcast,
        "spark.sql.adaptive.enabled" -> aqe
      )
      assert(filters(plan).nonEmpty && rowsOf(plan, "fact") < 200000 && rowsOf(plan, "dim") == 1000, plan)
    }
}
