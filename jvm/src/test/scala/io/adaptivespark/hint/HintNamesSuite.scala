package io.adaptivespark.hint

import org.apache.spark.sql.catalyst.plans.logical.JoinStrategyHint
import org.scalatest.funsuite.AnyFunSuite

/** Hints that are nearly ours, and those of others. */
class HintNamesSuite extends AnyFunSuite with HintSuite {
  private val where = "FROM t WHERE a > 1 AND b < 7"

  private def refusal(sql: String): String = intercept[IllegalArgumentException](spark.sql(sql)).getMessage

  for (
    (written, meant) <- Seq(
      "ADAPTIV_FILTER" -> "ADAPTIVE_FILTER",
      "adaptive_filters" -> "ADAPTIVE_FILTER",
      "ADAPTIVEFILTER('momentum=0.5')" -> "ADAPTIVE_FILTER",
      "NOADAPTIVEFILTER" -> "NO_ADAPTIVE_FILTER",
      "FILTER_ODER(a)" -> "FILTER_ORDER",
      "filter_odrer(a)" -> "FILTER_ORDER",
      "DINAMIC_FILTER(t)" -> "DYNAMIC_FILTER",
      "NO_DYNAMIC_FILTERS(t)" -> "NO_DYNAMIC_FILTER",
      "BROADCAST(t), FILTERS_ORDER(a)" -> "FILTER_ORDER",
      "FILTER_ORDER(a), ADAPTIV_FILTER" -> "ADAPTIVE_FILTER"
    )
  )
    test(s"$written is refused with the name that is meant") {
      val name = """\w+""".r.findAllIn(written).map(_.toUpperCase).filter(_.contains("FILTER")).toSeq.find(
        !HintNames.all.contains(_)
      ).get
      assert(refusal(s"SELECT /*+ $written */ a $where") == s"$name is not a hint. Did you mean $meant?")
    }

  test("a misspelt hint is found wherever a SELECT stands") {
    val select = s"SELECT /*+ ADAPTIV_FILTER */ a $where"
    Seq(
      s"WITH c AS ($select) SELECT * FROM c",
      s"SELECT * FROM ($select)",
      s"SELECT * FROM t WHERE a IN ($select)",
      s"SELECT a FROM u UNION ALL $select",
      s"CREATE TABLE misspelt USING parquet AS $select",
      s"CREATE VIEW misspelt AS $select",
      s"CACHE TABLE misspelt AS $select",
      s"INSERT INTO t SELECT a, b, s, flag, st FROM (SELECT /*+ ADAPTIV_FILTER */ * $where)"
    ).foreach(sql => withClue(sql)(assert(refusal(sql).contains("Did you mean ADAPTIVE_FILTER?"))))
    assert(!spark.catalog.tableExists("misspelt"))
    assert(spark.table("t").count() == 1000)
  }

  test("hints of Spark and of others are theirs") {
    val joins = JoinStrategyHint.strategies.flatMap(_.hintAliases)
    val others = Seq(
      "COALESCE(2)",
      "REPARTITION(2)",
      "REPARTITION_BY_RANGE(2, a)",
      "REBALANCE",
      "RUNTIME_FILTER",
      "SKEW('t')",
      "RANGE_JOIN(t, 10)",
      "NO_SUCH_FILTER",
      "FILTER",
      "ORDER",
      "JOIN_ORDER"
    )
    (joins.map(name => s"$name(t)") ++ others).foreach { hint =>
      assert(spark.sql(s"SELECT /*+ $hint */ a $where").count() == 7 * 100 - 2, hint)
    }
    assert(HintNames.all.forall(HintNames.misspelling(_).isEmpty))
    assert(joins.forall(HintNames.misspelling(_).isEmpty))
  }

  test("a DataFrame's hint that is nearly one of ours is refused, too") {
    val error = intercept[IllegalArgumentException](spark.table("t").hint("adaptiv_filter"))
    assert(error.getMessage == "ADAPTIV_FILTER is not a hint. Did you mean ADAPTIVE_FILTER?")
  }
}
