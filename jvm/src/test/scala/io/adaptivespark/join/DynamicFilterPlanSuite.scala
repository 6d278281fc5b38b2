package io.adaptivespark.join

import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.adaptive.AdaptiveSparkPlanExec
import org.scalatest.funsuite.AnyFunSuite

import io.adaptivespark.Forms

/** Joins that are planned with a dynamic filter or without; plans of many joins stay small, and are made in time. */
class DynamicFilterPlanSuite extends AnyFunSuite with JoinTables {

  for (aqe <- Seq("true", "false"))
    test(
      s"leaves partitions to Spark's own pruning where that is at work, AQE $aqe",
      Forms.unless(aqe == "true"): _*
    ) {
      val text =
        "SELECT count(*), sum(id) FROM fact_p JOIN dim ON p = k AND s > ks WHERE dep = 0 AND k < 50000"
      val plan = onAndOff(text, "spark.sql.adaptive.enabled" -> aqe)
      assert(filters(plan).isEmpty && rowsOf(plan, "fact_p") <= 60000, plan)
      assert(rowsOf(plan, "dim") == 1000, plan)
    }

  // Spark takes a condition on a key over to the other side: there it tells nothing more.
  for (aqe <- Seq("true", "false"); (strategy, conf) <- strategies)
    test(
      s"what filters both sides by the key alone makes no filter, $strategy, AQE $aqe",
      Forms.unless((aqe == "true") == (strategy != "sort merge")): _*
    ) {
      def check(isFiltered: Boolean, dim: String, where: String): Unit = {
        memory.forget() // most rows are kept
        val plan = onAndOff(
          s"SELECT count(*), sum(fact.id) FROM fact JOIN $dim ON id = k WHERE k % 3 = 1 AND $where",
          conf :+ ("spark.sql.adaptive.enabled" -> aqe): _*
        )
        assert(filters(plan).nonEmpty == isFiltered, plan)
      }
      val twice = (where: String) =>
        s"(SELECT /*+ BROADCAST(d2) */ d1.k FROM dim d1 JOIN dim d2 ON d1.k = d2.k WHERE $where) d"
      check(isFiltered = false, "dim", "k > 70")
      check(isFiltered = true, "dim", "dep < 30")
      check(isFiltered = true, "dim", "k + dep > 70")
      check(isFiltered = false, twice("true"), "k > 70")
      check(isFiltered = true, twice("d2.dep < 30"), "k > 70")
    }

  for (aqe <- Seq("true", "false"))
    test(
      s"a partitioned table that was not analyzed is as large as its files, AQE $aqe",
      Forms.unless(aqe == "true"): _*
    ) {
      directory
      spark.table("dim").selectExpr("*", "dep AS p").write.partitionBy("p").saveAsTable("parts")
      try {
        def filtered(text: String) =
          filters(onAndOff(text, noBroadcast, "spark.sql.adaptive.enabled" -> aqe)).nonEmpty
        assert(filtered("SELECT count(*), sum(fact.id) FROM fact JOIN parts ON id = k WHERE parts.dep = 7"))
        assert(!filtered("SELECT count(*), sum(fact.id) FROM parts JOIN fact ON id = k WHERE fact.g = 3"))
      } finally spark.sql("DROP TABLE parts")
    }

  for (aqe <- Seq("true", "false"))
    test(
      s"what functions on objects return may differ when a shuffle is computed again, AQE $aqe",
      Forms.unless(aqe == "true"): _*
    ) {
      directory
      val long = org.apache.spark.sql.Encoders.scalaLong
      spark.table("dim").where("dep = 7").select("k").as[Long](long).map((k: Long) => k)(long).toDF("k")
        .createOrReplaceTempView("opaque")
      val text = "SELECT count(*), sum(id) FROM fact JOIN opaque ON id = k"
      val conf = "spark.sql.adaptive.enabled" -> aqe
      assert(filters(onAndOff(text, noBroadcast, conf)).isEmpty)
      assert(filters(onAndOff(text, conf)).nonEmpty)
    }

  /** The first plan of a query that does not run. */
  private def planned(text: String, conf: (String, String)*): SparkPlan =
    withConf(conf: _*)(dynamic(on = true)(spark.sql(text).queryExecution.executedPlan match {
      case adaptive: AdaptiveSparkPlanExec => adaptive.executedPlan
      case plan => plan
    }))

  for (aqe <- Seq("true", "false"); (strategy, conf) <- strategies.take(2))
    test(
      s"a chain of joins is planned in time, $strategy, AQE $aqe",
      Forms.unless((aqe == "true") == (strategy != "sort merge")): _*
    ) {
      val joins = (1 to 12).map { i =>
        val key = Seq("id", "i", "s")(i % 3)
        s"JOIN (SELECT * FROM fact WHERE g > -$i) f$i ON f${i - 1}.$key = f$i.$key"
      }
      val text = s"SELECT count(*), sum(f12.id) FROM fact f0 ${joins.mkString(" ")} WHERE f0.id % 5000 = 7"
      assert(filters(planned(text, conf :+ ("spark.sql.adaptive.enabled" -> aqe): _*)).nonEmpty)
    }

  for (aqe <- Seq("true", "false"))
    test(
      s"however many joins have one key, the plan stays of a size, AQE $aqe",
      Forms.unless(aqe == "true"): _*
    ) {
      val joins = (1 to 25).map(i => s"JOIN (SELECT id AS k$i FROM fact WHERE g + $i > 3) f$i ON id = k$i")
      val text = s"SELECT count(*), sum(id) FROM fact ${joins.mkString(" ")} WHERE id % 5000 = 7"
      val plan = planned(text, noBroadcast, "spark.sql.adaptive.enabled" -> aqe)
      val nodes = plan.collect { case node => node }.size
      assert(filters(plan).nonEmpty && nodes < 6000, nodes)
    }

  for (aqe <- Seq("true", "false"); (strategy, conf) <- strategies.take(2))
    test(
      s"a join that only asks whether there is a partner keeps all rows, $strategy, AQE $aqe",
      Forms.unless((aqe == "true") == (strategy != "sort merge")): _*
    ) {
      val text =
        """SELECT count(*), sum(id) FROM fact
          |WHERE id IN (SELECT k FROM dim WHERE dep = 7) OR i IN (SELECT ki FROM dim WHERE dep = 8)""".stripMargin
      onAndOff(text, conf :+ ("spark.sql.adaptive.enabled" -> aqe): _*)
    }
}
