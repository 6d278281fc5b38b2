package io.adaptivespark.hint

import java.nio.file.Files

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.catalyst.expressions.{Expression, IsNotNull, PredicateHelper}
import org.apache.spark.sql.execution.{FilterExec, SparkPlan}
import org.scalatest.Suite

import io.adaptivespark.SparkSuite
import io.adaptivespark.conf.FilterSettings
import io.adaptivespark.filter.exec.AdaptiveFilter

/** Tables `t` and `u` on disk, and what became of the filters of a query. */
trait HintSuite extends SparkSuite with PredicateHelper { this: Suite =>

  /** A filter of the plan that ran: whether it is adaptive, and the columns of its conjuncts in
    * written order, guards left out.
    */
  protected case class Planned(adaptive: Boolean, columns: Seq[String])

  override protected def beforeAll(): Unit = {
    super.beforeAll()
    val directory = Files.createTempDirectory("hints").toString
    Seq("t", "u").foreach { name =>
      spark.range(0, 1000, 1, 2)
        .selectExpr(
          "id a",
          "id % 10 b",
          "concat('name-', id % 100) s",
          "id % 2 = 0 flag",
          "named_struct('f', id % 5, 'g', 1) st"
        )
        .write.parquet(s"$directory/$name")
      spark.read.parquet(s"$directory/$name").createOrReplaceTempView(s"${name}_files")
      spark.sql(s"CREATE TABLE $name USING parquet AS SELECT * FROM ${name}_files")
    }
  }

  /** The filters of every operator, subqueries included. */
  protected def planned(query: DataFrame): Seq[Planned] = {
    query.collect()
    filters(query.queryExecution.executedPlan)
  }

  protected def planned(sql: String): Seq[Planned] = planned(spark.sql(sql))

  protected def filters(plan: SparkPlan): Seq[Planned] = collectWithSubqueries(plan) {
    case f: AdaptiveFilter => Planned(adaptive = true, columns(f.condition))
    case f: FilterExec => Planned(adaptive = false, columns(f.condition))
  }.filter(_.columns.nonEmpty)

  private def columns(condition: Expression): Seq[String] = splitConjunctivePredicates(condition)
    .filterNot(_.isInstanceOf[IsNotNull])
    .map(_.references.map(_.name).toSeq.sorted.mkString("+"))

  protected def settings(sql: String): Seq[FilterSettings] = {
    val query = spark.sql(sql)
    query.collect()
    collectWithSubqueries(query.queryExecution.executedPlan) { case f: AdaptiveFilter => f.settings }
  }
}
