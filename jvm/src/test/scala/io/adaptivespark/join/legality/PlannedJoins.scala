package io.adaptivespark.join.legality

import java.nio.file.Files

import org.apache.spark.sql.execution.SparkPlan
import org.scalatest.Suite

import io.adaptivespark.SparkSuite

/** Plans of joins of two small tables. */
trait PlannedJoins extends SparkSuite { this: Suite =>

  protected lazy val tables: String = {
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
  protected def planned(text: String, broadcast: Boolean = false): SparkPlan = {
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
}
