package io.adaptivespark.join.scan

import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.datasources.v2.BatchScanExec
import org.scalatest.funsuite.AnyFunSuite

import io.adaptivespark.Forms
import io.adaptivespark.join.{JoinTables, PartitionedNumbers}

class V2ScanPruningSuite extends AnyFunSuite with JoinTables {

  for (aqe <- Seq("true", "false"); (strategy, conf) <- strategies) {
    def numbers(on: String): (Seq[Long], SparkPlan) = {
      directory
      spark.read.format(classOf[PartitionedNumbers].getName).load().createOrReplaceTempView("numbers")
      PartitionedNumbers.told.clear()
      val plan = onAndOff(
        s"SELECT count(*), sum(id) FROM numbers JOIN dim ON $on WHERE dep = 7 AND k < 50000",
        conf :+ ("spark.sql.adaptive.enabled" -> aqe): _*
      )
      (
        onceEach(
          collectWithSubqueries(plan) { case scan: BatchScanExec => scan }
        )(_.metrics("numOutputRows").id)
          .map(_.metrics("numOutputRows").value),
        plan
      )
    }

    test(
      s"a source that takes filters while a query runs reads fewer partitions, $strategy, AQE $aqe",
      Forms.unless((aqe == "true") == (strategy != "sort merge")): _*
    ) {
      val (rows, plan) = numbers("id = k")
      assert(rows == Seq(60000), plan)
      assert(filters(plan).isEmpty == (strategy == "broadcast"), plan)
    }

    test(
      s"a source is not told of other columns, $strategy, AQE $aqe",
      Forms.unless((aqe == "true") == (strategy != "sort merge")): _*
    ) {
      val (rows, plan) = numbers("other = k")
      assert(rows == Seq(200000) && filters(plan).isEmpty && PartitionedNumbers.told.isEmpty, plan)
    }
  }

  for (aqe <- Seq("true", "false"); (strategy, conf) <- strategies; equal <- Seq(true, false))
    test(
      s"a source is a build side if it is equal to itself, equal $equal, $strategy, AQE $aqe",
      Forms.unless((aqe == "true") == (strategy != "sort merge")): _*
    ) {
      directory
      spark.read.format(classOf[PartitionedNumbers].getName).option("equal", equal.toString).load()
        .createOrReplaceTempView("u")
      val hint = if (strategy == "broadcast") "DYNAMIC_FILTER(fact), BROADCAST(u)" else "DYNAMIC_FILTER(fact)"
      val text =
        s"SELECT /*+ $hint */ count(*), sum(fact.id) FROM fact JOIN u ON fact.id = u.id WHERE u.other < 10"
      withConf(conf :+ ("spark.sql.adaptive.enabled" -> aqe): _*) {
        val plan = onAndOffHinted(text)
        // A stage that is there already is the same for all.
        assert(filters(plan).nonEmpty == (equal || strategy == "broadcast" && aqe == "true"), plan)
        val read =
          collectWithSubqueries(plan) { case scan: BatchScanExec => scan }.map(_.metrics("numOutputRows"))
        assert(onceEach(read)(_.id).map(_.value).sum == 200000, plan)
      }
    }
}
