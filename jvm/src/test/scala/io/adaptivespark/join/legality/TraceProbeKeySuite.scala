package io.adaptivespark.join.legality

import org.apache.spark.sql.execution.joins.{BaseJoinExec, SortMergeJoinExec}
import org.scalatest.funsuite.AnyFunSuite

import io.adaptivespark.OfThisSpark
import io.adaptivespark.join.keys.KeyDomain
import io.adaptivespark.join.scan.PruneScan

/** Row by row the tables of docs/reference/dynamic-filters.md: what a key may be followed through. */
class TraceProbeKeySuite extends AnyFunSuite with PlannedJoins {

  /** Whether the keys of the topmost join's right side could prune a scan on its left. */
  private def followsLeft(text: String): Boolean = planned(text).collectFirst { case join: BaseJoinExec =>
    TraceProbeKey(join.left, join.leftKeys.head, join.leftKeys).nonEmpty
  }.get

  for (
    (name, from, follows) <- Seq(
      ("a table", "SELECT * FROM t", true),
      ("a filter", "SELECT * FROM t WHERE g > 3", true),
      ("a filter that is not deterministic", "SELECT * FROM t WHERE rand() < 0.5", false),
      ("an alias", "SELECT a + 0 AS z, a AS a FROM (SELECT a FROM t DISTRIBUTE BY a)", true),
      ("an expression", "SELECT a + 1 AS a FROM t", false),
      ("a widening cast", "SELECT cast(ai AS bigint) AS a FROM t", true),
      ("a column that is not deterministic beside it", "SELECT a, rand() AS r FROM t", false),
      (
        "numbers and files of rows by the names that MERGE has for them",
        "SELECT a, monotonically_increasing_id() AS _row_id_, input_file_name() AS _file_name_ FROM t",
        false
      ),
      ("a shuffle", "SELECT * FROM t DISTRIBUTE BY g", true),
      ("a sort", "SELECT * FROM t SORT BY g", true),
      ("a limit", "SELECT * FROM t LIMIT 10", false),
      ("a top-n", "SELECT * FROM t ORDER BY g LIMIT 10", false),
      ("an offset", "SELECT * FROM t OFFSET 10", false),
      ("a sample", "SELECT * FROM t TABLESAMPLE (10 PERCENT)", false),
      ("a group of its own", "SELECT a, count(*) AS n FROM t GROUP BY a", true),
      ("groups of others", "SELECT max(a) AS a FROM t GROUP BY g", false),
      (
        "grouping sets of others",
        "SELECT a, g, count(*) AS n FROM t GROUP BY GROUPING SETS ((a), (g))",
        false
      ),
      (
        "grouping sets with it",
        "SELECT a, g, count(*) AS n FROM t GROUP BY GROUPING SETS ((a), (a, g))",
        true
      ),
      (
        "several distinct counts of its group",
        "SELECT a, count(DISTINCT g) AS n, count(DISTINCT ai) AS m FROM t GROUP BY a",
        true
      ),
      (
        "several distinct counts of other groups",
        "SELECT max(a) AS a, count(DISTINCT a) AS n, count(DISTINCT ai) AS m FROM t GROUP BY g",
        false
      ),
      ("a window of its own", "SELECT a, row_number() OVER (PARTITION BY a ORDER BY g) AS n FROM t", true),
      ("windows of others", "SELECT a, row_number() OVER (PARTITION BY g ORDER BY a) AS n FROM t", false),
      (
        "the first row of a window of its own",
        "SELECT * FROM (SELECT a, row_number() OVER (PARTITION BY a ORDER BY g) AS n FROM t) WHERE n = 1",
        true
      ),
      (
        "the first rows of windows of others",
        "SELECT * FROM (SELECT a, row_number() OVER (PARTITION BY g ORDER BY a) AS n FROM t) WHERE n = 1",
        false
      ),
      (
        "one of two windows",
        "SELECT a, sum(g) OVER (PARTITION BY a) AS n, sum(g) OVER (ORDER BY g) AS m FROM t",
        false
      ),
      ("an exploded column's row", "SELECT a, e FROM t LATERAL VIEW explode(l) v AS e", true),
      ("an exploded column", "SELECT e AS a FROM t LATERAL VIEW explode(l) v AS e", false),
      ("a union", "SELECT a FROM t UNION ALL SELECT b FROM u", true),
      ("an inner join", "SELECT t.a FROM t JOIN u ON t.g = u.c", true),
      ("a left join's left", "SELECT t.a FROM t LEFT JOIN u ON t.g = u.c", true),
      ("a left join's right", "SELECT u.b AS a FROM t LEFT JOIN u ON t.g = u.c", false),
      ("a full join", "SELECT t.a FROM t FULL JOIN u ON t.g = u.c", false),
      ("a semi join", "SELECT t.a FROM t LEFT SEMI JOIN u ON t.g = u.c", true),
      ("an anti join", "SELECT t.a FROM t LEFT ANTI JOIN u ON t.g = u.c", true)
    )
  ) test(s"a key is ${if (follows) "" else "not "}followed through $name") {
    assert(followsLeft(
      s"SELECT max(struct(q.*)) FROM ($from) q JOIN (SELECT b AS kb FROM u WHERE c > 3) k ON q.a = kb"
    ) == follows)
  }

  for (
    (name, from, tables) <- Seq(
      ("an inner join", "SELECT t.a, 1 / u.c AS r FROM t JOIN u ON t.a = u.b", 2),
      ("a semi join", "SELECT t.a, 1 / t.g AS r FROM t LEFT SEMI JOIN u ON t.a = u.b", 2),
      (
        "a left join",
        "SELECT t.a, coalesce(u.c, 0) AS r FROM t LEFT JOIN u ON t.a = u.b WHERE t.g < 2",
        2
      ),
      (
        "a left join of whose nulls more rows pass",
        "SELECT t.a, u.c AS r FROM t LEFT JOIN u ON t.a = u.b WHERE u.c IS NULL",
        1
      ),
      (
        "a left join of whose nulls, once computed, more rows pass",
        "SELECT a, m AS r FROM (SELECT t.a, max(coalesce(u.c, 0)) AS m FROM t LEFT JOIN u ON t.a = u.b GROUP BY t.a) WHERE m < 5",
        1
      ),
      (
        "a left join of whose nulls more rows are first",
        "SELECT a, c AS r FROM (SELECT t.a, u.c, rank() OVER (PARTITION BY t.a ORDER BY u.c) AS n FROM t LEFT JOIN u ON t.a = u.b) WHERE n = 1",
        1
      ),
      (
        "a left join of whose nulls more rows have no partner",
        "SELECT q.a, 1 AS r FROM (SELECT t.a, u.c FROM t LEFT JOIN u ON t.a = u.b) q LEFT ANTI JOIN u w ON q.c = w.c",
        1
      ),
      (
        "a left join of whose nulls more rows have a partner",
        "SELECT q.a, 1 AS r FROM (SELECT t.a, u.c FROM t LEFT JOIN u ON t.a = u.b) q LEFT SEMI JOIN u w ON q.c IS NOT DISTINCT FROM w.c",
        1
      ),
      (
        "a left join, and what may fail on its rows",
        "SELECT t.a, 1 / coalesce(u.c, 0) AS r FROM t LEFT JOIN u ON t.a = u.b",
        1
      ),
      (
        "a left join, and a group of what may fail",
        "SELECT t.a, sum(1 / coalesce(u.c, 0)) AS r FROM t LEFT JOIN u ON t.a = u.b GROUP BY t.a",
        1
      ),
      ("an anti join", "SELECT t.a, t.g AS r FROM t LEFT ANTI JOIN u ON t.a = u.b", 1),
      (
        "a join that tells whether there is a partner",
        "SELECT t.a, t.g AS r FROM t WHERE EXISTS (SELECT 1 FROM u WHERE t.a = u.b) OR t.g < 2",
        1
      )
    )
  ) test(s"the key of $name is followed to $tables tables") {
    val plan = planned(
      s"SELECT max(struct(q.*)) FROM ($from) q JOIN (SELECT b AS kb FROM u WHERE c > 3) k ON q.a = kb"
    )
    val found = plan.collectFirst { case join: BaseJoinExec =>
      TraceProbeKey(join.left, join.leftKeys.head, join.leftKeys)
    }
    assert(found.get.map(_.scan).distinct.size == tables, plan)
  }

  test("a key of which another may fail is not followed to what an outer join pads") {
    val plan = planned(
      "SELECT q.* FROM (SELECT t.a, u.c FROM t LEFT JOIN u ON t.a = u.b) q JOIN u k ON q.a = k.b AND 1 div coalesce(q.c, 0) = k.c"
    )
    val join = plan.collectFirst { case join: BaseJoinExec => join }.get
    assert(join.leftKeys.size == 2, plan)
    assert(TraceProbeKey(join.left, join.leftKeys.head, join.leftKeys).size == 1, plan)
  }

  test("the nearest row of a table is found among all") {
    val enabled = "spark.sql.join.asofJoin.enabled"
    assume(spark.conf.isModifiable(enabled), "This Spark has no ASOF JOIN.")
    val plan = withConf(enabled -> "true")(planned(
      """SELECT q.a FROM (SELECT t.a, u.c FROM t ASOF JOIN u MATCH_CONDITION (t.g >= u.c) ON t.a = u.b) q
        |JOIN u k ON q.c = k.c""".stripMargin
    ))
    val join = plan.collectFirst { case join: SortMergeJoinExec => join }.get
    assert(TraceProbeKey(join.left, join.leftKeys.head, join.leftKeys).isEmpty, plan)
  }

  for (
    (name, condition, follows) <- Seq(
      ("integers", "a = b", true),
      ("strings", "s = bs", true),
      ("floating point", "x = bx", false),
      ("strings compared without case", "s COLLATE UTF8_LCASE = bs COLLATE UTF8_LCASE", false),
      ("an integer as floating point", "a = bx", false),
      ("null-safe equality", "a <=> b", false),
      ("arithmetic", "a + 1 = b", false)
    ).filter { case (_, condition, _) => OfThisSpark.hasTypes(condition) }
  ) test(s"$name are ${if (follows) "" else "not "}followed") {
    val plan = planned(s"SELECT count(*) FROM t JOIN u ON $condition")
    val possible = plan.collectFirst { case join: BaseJoinExec =>
      join.leftKeys.zip(join.rightKeys).exists { case (probe, build) =>
        KeyDomain.of(build.dataType).isDefined && TraceProbeKey(join.left, probe, join.leftKeys).nonEmpty
      }
    }.get
    assert(possible == follows)
  }

  test("a key is followed to both sides of a join that compares it") {
    val plan = planned(
      "SELECT count(*) FROM (SELECT t.a FROM t JOIN u ON t.a = u.b) q JOIN (SELECT c FROM u) v ON q.a = v.c"
    )
    val columns = plan.collectFirst { case join: BaseJoinExec =>
      TraceProbeKey(join.left, join.leftKeys.head, join.leftKeys)
    }.get
    assert(columns.size == 2)
  }

  test("CHAR columns are left alone") {
    spark.sql("CREATE TABLE chars(k CHAR(5), v VARCHAR(5)) USING parquet")
    spark.sql("INSERT INTO chars VALUES ('a', 'a')")
    def canPrune(column: String) = planned(s"SELECT count(*) FROM chars JOIN u ON chars.$column = u.bs")
      .collectFirst { case join: BaseJoinExec =>
        TraceProbeKey(
          join.left,
          join.leftKeys.head,
          join.leftKeys
        ).exists(PruneScan.canPrune(_, byBroadcast = false))
      }.get
    assert(!canPrune("k") && canPrune("v"))
  }
}
