package io.adaptivespark.join.random

import org.scalatest.funsuite.AnyFunSuite

class RandomQuerySuite extends AnyFunSuite {
  private val forms = RandomRelation.Forms.map(_.name)
  private val Hint = " /*+ DYNAMIC_FILTER(t0) */"
  private val Ansi = "spark.sql.ansi.enabled"

  test("a seed always makes the same query") {
    for (seed <- 0L until 100L) assert(RandomQuery.of(seed) == RandomQuery.of(seed))
  }

  test("as many neighbouring questions as there are forms have one query of each form") {
    for (first <- Seq(0L, 17L, -3L, 4000000000L))
      assert(
        Seq.tabulate(forms.size)(at => RandomQuery.of(first + at * RandomQuery.Alike).form).toSet ==
          forms.toSet
      )
  }

  test("seeds of a question have the same rows, by other scans and other confs") {
    for (question <- 0L until 50L) {
      val seeds = Seq.tabulate(RandomQuery.Alike)(question * RandomQuery.Alike + _)
      assert(seeds.map(RandomQuery.question).distinct == Seq(question))
      val queries = seeds.map(RandomQuery.of)
      def asked(query: RandomQuery) = RandomTables.over(query.text, "any").replace(Hint, "")
      assert(queries.map(asked).distinct == Seq(RandomTables.over(queries.head.stock, "any")))
      for (same <- Seq[RandomQuery => Any](_.stock, _.form, _.mayRaise, _.conf.toMap.apply(Ansi)))
        assert(queries.map(same).distinct.size == 1)
      assert(queries.map(_.conf).distinct.size > 1)
    }
    val ways = (0L until 200L).map(RandomQuery.of).groupBy(_.stock).values
    assert(ways.count(_.map(_.scan).distinct.size > 1) > 40)
    assert(ways.count(_.map(_.text.contains(Hint)).distinct.size > 1) > 30)
  }

  test("only the relation that a query is made around reads its tables") {
    val texts = (0L until 500L).map(RandomQuery.of)
    for (query <- texts if query.form != "UNION" && query.form != "UNION ALL")
      assert(s"${RandomTables.Probe}_".r.findAllIn(query.stock).size == 1, query.stock)
  }

  test("queries differ in every kind of scan, join and conf") {
    val queries = (0L until 500L).map(RandomQuery.of)
    assert(queries.map(_.scan).toSet == RandomTables.Scans.toSet)
    for (kind <- Seq(" JOIN ", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN", "LEFT SEMI JOIN", "LEFT ANTI JOIN"))
      assert(queries.exists(_.stock.contains(kind)), kind)
    for (
      (key, values) <- queries.flatMap(_.conf).groupBy(_._1)
      if key != "spark.sql.dynamicFilter.minProbeSize"
    )
      assert(values.distinct.size > 1, key)
  }
}
