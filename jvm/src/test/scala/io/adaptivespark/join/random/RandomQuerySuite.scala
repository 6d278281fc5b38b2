package io.adaptivespark.join.random

import org.scalatest.funsuite.AnyFunSuite

class RandomQuerySuite extends AnyFunSuite {
  private val forms = RandomRelation.Forms.map(_.name)

  test("a seed always makes the same query") {
    for (seed <- 0L until 100L) assert(RandomQuery.of(seed) == RandomQuery.of(seed))
  }

  test("as many neighbouring seeds as there are forms have one query of each form") {
    for (first <- Seq(0L, 17L, -3L, 4000000000L))
      assert(Seq.tabulate(forms.size)(at => RandomQuery.of(first + at).form).toSet == forms.toSet)
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
