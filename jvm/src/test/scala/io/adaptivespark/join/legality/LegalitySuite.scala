package io.adaptivespark.join.legality

import java.nio.file.Files

import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.joins.{BaseJoinExec, SortMergeJoinExec}
import org.scalatest.funsuite.AnyFunSuite

import io.adaptivespark.SparkSuite
import io.adaptivespark.join.build.{BoundingSides, BuildSide}
import io.adaptivespark.join.keys.KeyDomain
import io.adaptivespark.join.scan.PruneScan

/** Row by row the tables of docs/reference/dynamic-filters.md: what a key may be followed through, and from which side of a join to which. */
class LegalitySuite extends AnyFunSuite with SparkSuite {

  private lazy val tables = {
    val path = Files.createTempDirectory("legality").toString
    spark.range(0, 1000, 1, 1).selectExpr(
      "id AS a",
      "cast(id as int) AS ai",
      "id % 10 AS g",
      "cast(id as double) AS x",
      "cast(id as string) AS s",
      "array(id) AS l"
    ).write.parquet(s"$path/t")
    spark.range(
      0,
      100,
      1,
      1
    ).selectExpr("id AS b", "cast(id as double) AS bx", "cast(id as string) AS bs", "id AS c")
      .write.parquet(s"$path/u")
    Seq("t", "u").foreach(name => spark.read.parquet(s"$path/$name").createOrReplaceTempView(name))
    path
  }

  /** The plan before adaptive execution or anything else has run, without broadcasts unless asked for. */
  private def planned(text: String, broadcast: Boolean = false): SparkPlan = {
    tables
    withConf(
      "spark.sql.adaptive.enabled" -> "false",
      "spark.sql.dynamicFilter.enabled" -> "false",
      "spark.sql.adaptiveFilter.enabled" -> "false",
      "spark.sql.codegen.wholeStage" -> "false",
      // They would make inner joins of the outer ones that are asked for here.
      "spark.sql.optimizer.excludedRules" -> Seq("EliminateOuterJoin", "InferFiltersFromConstraints")
        .map("org.apache.spark.sql.catalyst.optimizer." + _).mkString(","),
      "spark.sql.autoBroadcastJoinThreshold" -> (if (broadcast) "10MB" else "-1")
    )(spark.sql(text).queryExecution.executedPlan)
  }

  /** Whether the keys of the topmost join's right side could prune a scan on its left. */
  private def followsLeft(text: String): Boolean = planned(text).collectFirst { case join: BaseJoinExec =>
    TraceProbeKey(join.left, join.leftKeys.head, join.leftKeys).nonEmpty
  }.get

  for (
    (join, left, right) <- Seq(
      ("JOIN", true, true),
      ("LEFT JOIN", false, true),
      ("RIGHT JOIN", true, false),
      ("FULL JOIN", false, false),
      ("LEFT SEMI JOIN", true, true),
      ("LEFT ANTI JOIN", false, true)
    )
  ) test(s"$join filters its left: $left, its right: $right") {
    val found = planned(s"SELECT count(*) FROM t $join u ON a = b").collectFirst { case j: BaseJoinExec =>
      Legality.filterable(j.joinType, Legality.isNullAware(j))
    }
    assert(found.contains(Legality.Sides(left, right)))
  }

  for (
    (join, sides) <- Seq(
      ("JOIN", Legality.Sides(left = true, right = true)),
      ("LEFT SEMI JOIN", Legality.Sides(left = false, right = true)),
      ("LEFT JOIN", Legality.Sides(left = false, right = false)),
      ("RIGHT JOIN", Legality.Sides(left = false, right = false)),
      ("FULL JOIN", Legality.Sides(left = false, right = false)),
      ("LEFT ANTI JOIN", Legality.Sides(left = false, right = false))
    )
  ) test(s"of what comes out of $join, these have every value: $sides") {
    val joins = planned(s"SELECT count(*) FROM t $join u ON a = b").collect { case j: BaseJoinExec => j }
    assert(joins.map(j => Legality.bounds(j.joinType)) == Seq(sides))
  }

  for (
    (name, from, key, within) <- Seq(
      ("an inner join", "t JOIN u ON a = b", "a", Some("b")),
      ("the other side of one", "u JOIN t ON b = a", "a", Some("b")),
      ("the second key of a join", "t JOIN u ON ai = cast(c AS int) AND a = b", "a", Some("b")),
      ("a semi join", "t LEFT SEMI JOIN u ON a = b", "a", Some("b")),
      ("a left join", "t LEFT JOIN u ON a = b", "a", None),
      ("an anti join", "t LEFT ANTI JOIN u ON a = b", "a", None),
      ("a join by another column", "t JOIN u ON g = b", "a", None),
      ("a join by another type", "t JOIN (SELECT cast(b AS int) AS bi FROM u) u ON ai = bi", "ai", None),
      ("null-safe equality", "t JOIN u ON a <=> b", "a", None),
      (
        "below a filter and an alias",
        "(SELECT a AS z, ai FROM t JOIN u ON a = b WHERE g > c) t",
        "z",
        Some("b")
      ),
      ("below an aggregate", "(SELECT a, max(ai) AS ai FROM t JOIN u ON a = b GROUP BY a) t", "a", Some("b")),
      ("below another join's left", "t JOIN u ON a = b LEFT JOIN u v ON t.g = v.c", "a", Some("b")),
      (
        "below another join's right",
        "t x LEFT JOIN (SELECT a, ai FROM t JOIN u ON a = b) t ON x.g = t.a",
        "a",
        None
      ),
      (
        "in one part of a union",
        "(SELECT a, ai FROM t JOIN u ON a = b UNION ALL SELECT a, ai FROM t) t",
        "a",
        None
      ),
      ("below a limit", "(SELECT a, ai FROM t JOIN u ON a = b LIMIT 10) t", "a", None)
    );
    broadcast <- Seq(true, false)
  ) test(s"a build side has its keys from $name: ${within.isDefined}, broadcast $broadcast") {
    // Two keys, lest a join need no shuffle of its own.
    val plan = planned(
      s"""SELECT /*+ MERGE(p) */ count(*) FROM (SELECT id, g FROM range(9) LATERAL VIEW explode(array(id)) AS g) p
         |JOIN (SELECT t.$key AS k, t.ai FROM $from) q ON p.g = q.ai AND p.id = q.k""".stripMargin,
      broadcast
    )
    val source = plan.collectFirst { case join: BaseJoinExec => BuildSide.of(join)._2.get }.get
    val found = BoundingSides(source, 1).map { case (inner, i) => inner.keys(i) }
    assert(found.collect { case column: Attribute => column.name } == within.toSeq, plan)
  }

  test("a stage that has begun has its keys from where it had them before") {
    tables
    withConf(
      "spark.sql.dynamicFilter.enabled" -> "false",
      "spark.sql.autoBroadcastJoinThreshold" -> "-1"
    ) {
      val query = spark.sql(
        "SELECT count(*) FROM range(9) p JOIN (SELECT /*+ BROADCAST(u) */ a, ai FROM t JOIN u ON a = b WHERE g > 3) q ON id = a AND id = ai"
      )
      query.collect()
      val sources = collect(query.queryExecution.executedPlan) { case join: SortMergeJoinExec => join }
        .flatMap(BuildSide.of(_)._2)
      assert(
        sources.flatMap(BoundingSides(_, 0)).map { case (inner, i) =>
          inner.keys(i).sql -> inner.isFinished
        } ==
          Seq("u.b" -> true),
        query.queryExecution.executedPlan
      )
    }
  }

  test("NOT IN filters neither side") {
    val found = planned("SELECT count(*) FROM t WHERE a NOT IN (SELECT b FROM u)", broadcast = true)
      .collectFirst { case j: BaseJoinExec => Legality.filterable(j.joinType, Legality.isNullAware(j)) }
    assert(found.contains(Legality.Sides(left = false, right = false)))
  }

  test("an existence join filters its right side only") {
    val found = planned("SELECT count(*) FROM t WHERE g = 3 OR a IN (SELECT b FROM u)")
      .collectFirst { case j: BaseJoinExec => Legality.filterable(j.joinType, Legality.isNullAware(j)) }
    assert(found.contains(Legality.Sides(left = false, right = true)))
  }

  for (
    (name, from, follows) <- Seq(
      ("a table", "SELECT * FROM t", true),
      ("a filter", "SELECT * FROM t WHERE g > 3", true),
      ("a filter that is not deterministic", "SELECT * FROM t WHERE rand() < 0.5", false),
      ("an alias", "SELECT a + 0 AS z, a AS a FROM (SELECT a FROM t DISTRIBUTE BY a)", true),
      ("an expression", "SELECT a + 1 AS a FROM t", false),
      ("a widening cast", "SELECT cast(ai AS bigint) AS a FROM t", true),
      ("a column that is not deterministic beside it", "SELECT a, rand() AS r FROM t", false),
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
    val plan = withConf("spark.sql.join.asofJoin.enabled" -> "true")(planned(
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
    )
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
