package io.adaptivespark.join

import org.scalatest.funsuite.AnyFunSuite

import io.adaptivespark.Forms
import io.adaptivespark.join.exec.DynamicFilterExec

class DynamicFilterHintSuite extends AnyFunSuite with JoinTables {

  private val join = "count(*) FROM fact f JOIN dim ON f.id = dim.k WHERE dep = 7"

  for (aqe <- Seq("true", "false")) {
    def planned(text: String): Seq[DynamicFilterExec] =
      withConf("spark.sql.adaptive.enabled" -> aqe)(filters(onAndOffHinted(text)))

    test(s"NO_DYNAMIC_FILTER leaves a relation alone, AQE $aqe", Forms.unless(aqe == "true"): _*) {
      assert(planned(s"SELECT $join").nonEmpty)
      Seq("", "(f)", "(F)", "(f, dim)").foreach(of =>
        assert(planned(s"SELECT /*+ NO_DYNAMIC_FILTER$of */ $join").isEmpty, of)
      )
      assert(planned(s"SELECT /*+ NO_DYNAMIC_FILTER(dim) */ $join").nonEmpty)
    }

    test(
      s"NO_DYNAMIC_FILTER of a query or a CTE reaches the tables in it, AQE $aqe",
      Forms.unless(aqe == "true"): _*
    ) {
      val of = "/*+ NO_DYNAMIC_FILTER(x) */ count(*)"
      val body = "SELECT id + 0 AS z, id AS other, g FROM fact WHERE g > 2"
      assert(planned(s"SELECT $of FROM ($body) x JOIN dim ON x.other = dim.k WHERE dep = 7").isEmpty)
      assert(
        planned(s"WITH x AS ($body) SELECT $of FROM x JOIN dim ON x.other = dim.k WHERE dep = 7").isEmpty
      )
      assert(planned(
        s"WITH x AS ($body) SELECT count(*) FROM x JOIN dim ON x.other = dim.k WHERE dep = 7"
      ).nonEmpty)
      assert(planned(
        s"SELECT $of FROM ($body UNION ALL $body) x JOIN dim ON x.other = dim.k WHERE dep = 7"
      ).isEmpty)
    }

    test(
      s"DYNAMIC_FILTER filters where the session does not, and small scans, AQE $aqe",
      Forms.unless(aqe == "true"): _*
    ) {
      withConf("spark.sql.dynamicFilter.minProbeSize" -> "1g") {
        assert(planned(s"SELECT $join").isEmpty)
        assert(planned(s"SELECT /*+ DYNAMIC_FILTER(f) */ $join").nonEmpty)
      }
      withConf("spark.sql.dynamicFilter.enabled" -> "false") {
        assert(planned(s"SELECT $join").isEmpty)
        assert(planned(s"SELECT /*+ DYNAMIC_FILTER(f) */ $join").nonEmpty)
      }
    }
  }

  test("a hint that is wrong fails the query, one without effect is a warning") {
    directory
    def fault(hint: String) = intercept[Exception](spark.sql(s"SELECT /*+ $hint */ $join")).getMessage
    assert(fault("DYNAMIC_FILTER(nobody)").contains(
      """DYNAMIC_FILTER: "nobody" is not a relation of this SELECT's FROM. Relations: f, dim."""
    ))
    assert(fault("NO_DYNAMIC_FILTER('f')").contains(
      "is not a relation's name. Write it as NO_DYNAMIC_FILTER(relation, …), without quotes."
    ))
    assert(fault("DYNAMIC_FILTER(f), NO_DYNAMIC_FILTER").contains("contradict each other over f"))
    assert(warnings(spark.sql("SELECT /*+ DYNAMIC_FILTER */ * FROM fact").collect()).exists(
      _.contains("DYNAMIC_FILTER has no effect on fact: no ON or WHERE of its SELECT says")
    ))
    assert(warnings(
      spark.sql("SELECT /*+ DYNAMIC_FILTER(f) */ count(*) FROM fact f LEFT JOIN dim ON id = k").collect()
    ).exists(
      _.contains("needs all rows of this side")
    ))
  }
}
