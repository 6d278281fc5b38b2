package io.adaptivespark.join.legality

import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.execution.joins.{BaseJoinExec, SortMergeJoinExec}
import org.scalatest.funsuite.AnyFunSuite

import io.adaptivespark.join.build.{BoundingSides, BuildSide}

/** Row by row the tables of docs/reference/dynamic-filters.md: from which side of a join to which keys may go. */
class LegalitySuite extends AnyFunSuite with PlannedJoins {

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
}
