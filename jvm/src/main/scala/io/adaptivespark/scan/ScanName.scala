package io.adaptivespark.scan

import scala.util.Try

import org.apache.spark.sql.catalyst.parser.CatalystSqlParser
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.adaptive.AdaptiveSparkPlanExec

/** Name of a scan as a user knows it: a table or a directory. */
private[adaptivespark] object ScanName {

  /** Name of a leaf; that of its operator if it reads no table. */
  def apply(scan: SparkPlan): String = ScanKind.of(scan).table.getOrElse(scan.nodeName)

  /** Tables below a plan, each once. Rows that a query makes itself, as by VALUES, have none. */
  def tables(plan: SparkPlan): Seq[String] = leaves(plan).flatMap(ScanKind.of(_).table).distinct

  private def leaves(plan: SparkPlan): Seq[SparkPlan] = plan match {
    case StandIn(plan) => leaves(plan)
    case adaptive: AdaptiveSparkPlanExec => leaves(adaptive.executedPlan)
    case filtered: ScanLike => leaves(filtered.child)
    case leaf if leaf.children.isEmpty => Seq(leaf)
    case other => other.children.flatMap(leaves)
  }

  /** Last part of a name such as `catalog.schema.table`, `parquet file:/folder/table` or `Scan hive
    * catalog.schema.table`.
    */
  private[scan] def last(name: String): String = {
    val word = name.substring(name.lastIndexWhere(c => c == ' ' || c == '/') + 1)
    Try(CatalystSqlParser.parseMultipartIdentifier(word).last).getOrElse(word)
  }
}
