package io.adaptivespark.join.keys.testing

import org.scalatest.funsuite.AnyFunSuite

import io.adaptivespark.join.JoinTables

/** Tests of rows that stop where most rows pass, and those that may not. */
class RowKeyTesterSuite extends AnyFunSuite with JoinTables {

  /** True where the rows of the large table in a query are tested by a tester that may stop. */
  private def mayStop(from: String): Seq[Boolean] = {
    directory
    val query = spark.sql(s"SELECT count(*) FROM ($from) f JOIN dim ON f.id = dim.k WHERE dim.dep = 7")
    withConf(noBroadcast) {
      query.collect()
      collectWithSubqueries(query.queryExecution.executedPlan) { case operator =>
        operator.expressions.flatMap(_.collect { case test: InDynamicKeys => test.keys.mayStop })
      }.flatten
    }
  }

  test("rows that are dealt out by their place are all tested") {
    assert(mayStop("SELECT * FROM fact").distinct == Seq(true))
    assert(mayStop("SELECT /*+ REPARTITION(3) */ * FROM fact").distinct == Seq(false))
    assert(mayStop("SELECT /*+ REPARTITION(3, id) */ * FROM fact").distinct == Seq(true))
  }
}
