package io.adaptivespark.hint

import scala.collection.mutable

import org.apache.spark.sql.execution.{QueryExecution, SparkPlan}
import org.apache.spark.sql.execution.adaptivespark.ListenerQueues
import org.apache.spark.sql.util.QueryExecutionListener
import org.scalatest.funsuite.AnyFunSuite

import io.adaptivespark.Forms

class ResolveFilterHintsSuite extends AnyFunSuite with HintSuite {
  private val off = "/*+ NO_ADAPTIVE_FILTER */"
  private val on = "/*+ ADAPTIVE_FILTER */"
  private val ab = "a > 20 AND b < 7"
  private val ours = Planned(adaptive = true, Seq("a", "b"))
  private val sparks = Planned(adaptive = false, Seq("a", "b"))

  for (aqe <- Seq("true", "false"); exchange <- Seq("", " GROUP BY a"))
    test(
      s"NO_ADAPTIVE_FILTER leaves the filter to Spark (AQE $aqe$exchange)",
      Forms.unless(aqe == "true"): _*
    ) {
      withConf("spark.sql.adaptive.enabled" -> aqe) {
        assert(planned(s"SELECT $off a FROM t WHERE $ab$exchange") == Seq(sparks))
        assert(planned(s"SELECT a FROM t WHERE $ab$exchange") == Seq(ours))
      }
    }

  for (aqe <- Seq("true", "false"); exchange <- Seq("", " GROUP BY a"))
    test(
      s"ADAPTIVE_FILTER makes the filter adaptive where the session does not (AQE $aqe$exchange)",
      Forms.unless(aqe == "true"): _*
    ) {
      withConf("spark.sql.adaptive.enabled" -> aqe)(adaptive(false) {
        assert(planned(s"SELECT $on a FROM t WHERE $ab$exchange") == Seq(ours))
        assert(planned(s"SELECT a FROM t WHERE $ab$exchange") == Seq(sparks))
      })
    }

  test("hints keep the rows") {
    def rows(hint: String) = sorted(spark.sql(
      s"SELECT $hint t.a, u.s FROM t JOIN (SELECT * FROM u WHERE b > 2 AND s LIKE '%1%') u ON t.a = u.a AND t.b < 8 WHERE t.s LIKE '%1%' AND flag"
        .replace("AND flag", "AND t.flag")
    ))
    val expected = rows("")
    assert(expected.nonEmpty)
    Seq(off, on, "/*+ FILTER_ORDER(t.s) */", "/*+ ADAPTIVE_FILTER('momentum=0.9') */").foreach(h =>
      assert(rows(h) == expected, h)
    )
  }

  test("hint names are read in any case") {
    assert(planned(s"SELECT /*+ no_adaptive_filter */ a FROM t WHERE $ab") == Seq(sparks))
  }

  test("an outer SELECT's hint does not reach the SELECT inside, though Spark merges their filters") {
    val merged = s"SELECT %s a FROM (SELECT %s * FROM t WHERE $ab) WHERE s LIKE '%%1%%' AND flag"
    val (inner, outer) = (Seq("a", "b"), Seq("s", "flag"))
    assert(planned(merged.format(off, "")).toSet == Set(Planned(true, inner), Planned(false, outer)))
    assert(planned(merged.format("", off)).toSet == Set(Planned(false, inner), Planned(true, outer)))
    assert(planned(merged.format(off, off)) == Seq(Planned(false, inner ++ outer)))
    assert(planned(merged.format("", "")) == Seq(Planned(true, inner ++ outer)))
    adaptive(false) {
      assert(planned(merged.format(on, "")).toSet == Set(Planned(false, inner), Planned(true, outer)))
      assert(planned(merged.format("", on)).toSet == Set(Planned(true, inner), Planned(false, outer)))
    }
  }

  test("a hint follows its conjuncts below an alias and an expression") {
    val query =
      s"SELECT $off * FROM (SELECT a + 1 AS x, b AS y, s FROM t WHERE s LIKE '%1%' AND flag) WHERE x > 5 AND y < 7"
    assert(planned(query).toSet == Set(Planned(true, Seq("s", "flag")), Planned(false, Seq("a", "b"))))
  }

  test("a hint follows its conjuncts below an aggregate and into the branches of a union") {
    assert(planned(s"SELECT $off * FROM (SELECT a, b, count(*) FROM t GROUP BY a, b) WHERE $ab") ==
      Seq(sparks))
    assert(planned(s"SELECT $off * FROM (SELECT a, b FROM t UNION ALL SELECT a, b FROM u) WHERE $ab") ==
      Seq(sparks, sparks))
  }

  test("branches of a UNION have hints of their own") {
    val query =
      s"SELECT $off a FROM t WHERE $ab UNION ALL SELECT a FROM u WHERE $ab UNION ALL SELECT /*+ ADAPTIVE_FILTER('momentum=0.9') */ a FROM u WHERE $ab"
    assert(planned(query) == Seq(sparks, ours, ours))
    assert(settings(query).map(_.momentum) == Seq(0.3, 0.9))
  }

  for (uses <- Seq("c", "c c1 JOIN c c2 ON c1.a = c2.a"))
    test(s"a CTE's hint is for the CTE alone: FROM $uses") {
      withConf("spark.sql.autoBroadcastJoinThreshold" -> "-1") {
        val found = planned(
          s"WITH c AS (SELECT $off * FROM t WHERE $ab) SELECT 1 FROM $uses CROSS JOIN (SELECT s FROM u WHERE $ab)"
        )
        assert(
          found.count(_ == ours) == 1 && found.count(_.adaptive) == 1 && found.exists(!_.adaptive),
          found
        )
        val outer = planned(s"WITH c AS (SELECT * FROM t WHERE $ab) SELECT $off 1 FROM $uses")
        assert(outer.nonEmpty && outer.forall(p => p.adaptive || p.columns.size < 2), outer)
      }
    }

  test("a subquery in WHERE has hints of its own") {
    val scalar = s"SELECT %s a FROM t WHERE $ab AND a > (SELECT %s min(a) FROM u WHERE $ab)"
    val outer = Seq("a", "b", "a")
    assert(planned(scalar.format(off, "")).toSet == Set(Planned(false, outer), ours))
    assert(planned(scalar.format("", off)).toSet == Set(Planned(true, outer), sparks))
    val in = s"SELECT %s a FROM t WHERE $ab AND a IN (SELECT %s a FROM u WHERE s LIKE '%%1%%' AND flag)"
    assert(planned(in.format(off, "")).contains(sparks) && planned(in.format(off, "")).exists(_.adaptive))
    assert(planned(in.format("", off)).contains(ours) &&
      planned(in.format("", off)).contains(Planned(false, Seq("s", "flag"))))
  }

  test("a hint in a join is for both sides: WHERE and ON, also where the join has an alias") {
    val query =
      "SELECT %s 1 FROM t JOIN u ON t.a = u.a AND t.s > 'name-1' AND t.flag WHERE u.b > 2 AND u.s > 'name-2'"
    assert(planned(query.format("")).count(_.adaptive) == 2)
    assert(planned(query.format(off)).forall(!_.adaptive))
    val aliased = s"SELECT $off 1 FROM (t JOIN u ON t.a = u.a AND t.s > 'name-1' AND t.b > 3) AS j"
    assert(planned(aliased).forall(!_.adaptive) && planned(aliased).exists(_.columns.size > 1))
  }

  test("a predicate that Spark infers through a join has the hint of the one that it comes from") {
    val query = s"SELECT $off 1 FROM t JOIN u ON t.a = u.a WHERE t.a > 20 AND t.b < 7 AND u.b > 2"
    assert(planned(query).count(_.columns.toSet == Set("a", "b")) == 2 && planned(query).forall(!_.adaptive))
  }

  test("two sides of a self-join have hints of their own") {
    val query =
      s"SELECT 1 FROM (SELECT $off * FROM t WHERE $ab) x JOIN (SELECT * FROM t WHERE $ab) y ON x.a = y.a"
    assert(planned(query).map(_.adaptive).toSet == Set(true, false))
  }

  test("HAVING belongs to its SELECT") {
    val query = "SELECT %s b, count(*) n, max(a) m FROM t GROUP BY b HAVING n > 5 AND m > 3"
    assert(planned(query.format(off)) == Seq(Planned(false, Seq("n", "m"))))
    assert(planned(query.format("")) == Seq(Planned(true, Seq("n", "m"))))
  }

  test("LATERAL VIEW, PIVOT and DISTINCT belong to their SELECT") {
    assert(planned(s"SELECT $off DISTINCT a FROM t LATERAL VIEW explode(array(b, 3)) AS x WHERE $ab") ==
      Seq(sparks))
    val pivot =
      "SELECT %s * FROM (SELECT b, flag, a FROM t) PIVOT (sum(a) q FOR flag IN (true yes, false no)) WHERE yes IS NULL OR no > 1"
    assert(planned(pivot.format(off)).forall(!_.adaptive))
  }

  test("a view keeps its hint, and the SELECT that reads it has its own") {
    spark.sql(s"CREATE OR REPLACE VIEW hinted AS SELECT $off * FROM t WHERE $ab")
    spark.sql(s"CREATE OR REPLACE TEMP VIEW plain AS SELECT * FROM t WHERE $ab")
    assert(planned("SELECT a FROM hinted WHERE s LIKE '%1%' AND flag").toSet ==
      Set(sparks, Planned(true, Seq("s", "flag"))))
    assert(planned(s"SELECT $off a FROM plain WHERE s LIKE '%1%' AND flag").toSet ==
      Set(ours, Planned(false, Seq("s", "flag"))))
  }

  test("INSERT … SELECT and CREATE TABLE … AS SELECT take the hints of their SELECT") {
    def written(sql: String) = {
      val plans = mutable.ArrayBuffer.empty[SparkPlan]
      val listener = new QueryExecutionListener {
        override def onSuccess(
            name: String,
            query: QueryExecution,
            nanos: Long
        ): Unit =
          plans.synchronized(plans += query.executedPlan)
        override def onFailure(
            name: String,
            query: QueryExecution,
            e: Exception
        ): Unit = ()
      }
      // It would hear of earlier queries, too.
      ListenerQueues.drain(spark.sparkContext)
      spark.listenerManager.register(listener)
      try {
        spark.sql(sql)
        ListenerQueues.drain(spark.sparkContext)
      } finally spark.listenerManager.unregister(listener)
      plans.flatMap(filters).toSet
    }
    assert(written(s"CREATE TABLE made USING parquet AS SELECT $off a FROM t WHERE $ab") == Set(sparks))
    assert(written(s"INSERT INTO made SELECT $off a FROM t WHERE $ab") == Set(sparks))
    assert(written(s"INSERT INTO made SELECT a FROM t WHERE $ab") == Set(ours))
    adaptive(false)(assert(written(s"INSERT OVERWRITE made SELECT $on a FROM t WHERE $ab") == Set(ours)))
  }

  test("a conjunct that Spark takes apart or rewrites keeps its hint") {
    Seq(
      "a BETWEEN 20 AND 90",
      "(a > 20 AND b < 7) OR (a > 20 AND s < 'x')",
      "NOT (a < 20 OR b > 7)",
      "NOT (a < 20 OR (b > 7 OR NOT (s > 'm' AND s <> 'z')))",
      "s LIKE 'na%1' AND b < 7",
      "s LIKE 'name%' AND a IN (1, 2, 3)"
    )
      .foreach { condition =>
        val found = planned(s"SELECT $off a FROM t WHERE $condition")
        assert(found.nonEmpty && found.forall(!_.adaptive), condition)
      }
  }

  test("a bare boolean column stays with the filter that it stands in") {
    assert(planned(s"SELECT $off a FROM t WHERE flag AND a > 20 AND b < 7") ==
      Seq(Planned(false, Seq("flag", "a", "b"))))
    adaptive(false)(assert(planned(s"SELECT $on a FROM t WHERE flag AND a > 20") ==
      Seq(Planned(true, Seq("flag", "a")))))
  }

  test("a hinted query can be filtered further as a DataFrame, which its hint does not reach") {
    val query = spark.sql(s"SELECT $off * FROM t WHERE $ab").where("s LIKE '%1%' AND flag")
    assert(planned(query).toSet == Set(sparks, Planned(true, Seq("s", "flag"))))
  }

  test("options are those of the SELECT, the others the session's") {
    withConf("spark.sql.adaptiveFilter.collectRate" -> "50") {
      val Seq(found) = settings(
        s"SELECT /*+ ADAPTIVE_FILTER('momentum = 0.5', 'Calculate_Rate=2000', 'errors=exact') */ a FROM t WHERE $ab"
      )
      assert((found.momentum, found.calculateRate.rows, found.collectRate.rows, found.exact) ==
        ((0.5, Some(2000), Some(50), true)))
      assert(settings(s"SELECT a FROM t WHERE $ab").map(_.momentum) == Seq(0.3))
    }
  }

  test("where Spark merges filters, the outer SELECT's options win") {
    val query =
      s"SELECT /*+ ADAPTIVE_FILTER('momentum=0.9') */ a FROM (SELECT /*+ ADAPTIVE_FILTER('momentum=0.1', 'collect_rate=7') */ * FROM t WHERE $ab) WHERE s LIKE '%1%' AND flag"
    assert(settings(query).map(s => (s.momentum, s.collectRate.rows)) == Seq((0.9, Some(7))))
  }

  test("several hints in one comment count together, beside Spark's own") {
    val query =
      "SELECT /*+ FILTER_ORDER(b), BROADCAST(u), ADAPTIVE_FILTER('collect_rate=9') */ t.a FROM t JOIN u ON t.a = u.a WHERE t.a > 20 AND t.b < 7"
    adaptive(false)(assert(settings(query).map(_.collectRate.rows) == Seq(Some(9))))
    val plan = spark.sql(query).queryExecution.executedPlan.toString
    assert(plan.contains("BroadcastHashJoin"))
  }

  test("Spark does not warn of hints that it does not know") {
    val seen = warnings {
      Seq(
        off,
        on,
        "/*+ FILTER_ORDER(a) */",
        "/*+ ADAPTIVE_FILTER('momentum=0.5'), FILTER_ORDER(b, a) */"
      ).foreach { hint =>
        spark.sql(
          s"WITH c AS (SELECT $hint * FROM t WHERE $ab) SELECT $hint * FROM c WHERE $ab AND a IN (SELECT $hint a FROM u WHERE $ab)"
        )
          .collect()
      }
    }
    assert(seen.filter(_.contains("hint")).isEmpty && seen.filter(_.contains("FILTER")).isEmpty)
    assert(warnings(
      spark.sql("SELECT /*+ NO_SUCH_FILTER */ a FROM t").collect()
    ).exists(_.contains("NO_SUCH_FILTER")))
  }
}
