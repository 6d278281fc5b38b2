package io.adaptivespark.history.text

import scala.util.Try

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.catalyst.parser.CatalystSqlParser
import org.apache.spark.sql.execution.{DataSourceScanExec, FileSourceScanExec, SparkPlan}
import org.apache.spark.sql.execution.adaptive.{AdaptiveSparkPlanExec, QueryStageExec}
import org.apache.spark.sql.execution.columnar.InMemoryTableScanExec
import org.apache.spark.sql.execution.datasources.v2.BatchScanExec
import org.apache.spark.sql.execution.exchange.ReusedExchangeExec

import io.adaptivespark.filter.plan.ScanLike

/** Name of a scan as a user knows it: a table or a directory. */
private[adaptivespark] object ScanName {

  /** Name of a leaf; that of its operator if it reads no table. */
  def apply(scan: SparkPlan): String = ofTable(scan).getOrElse(scan.nodeName)

  /** Tables below a plan, each once. Rows that a query makes itself, as by VALUES, have none. */
  def tables(plan: SparkPlan): Seq[String] = leaves(plan).flatMap(ofTable).distinct

  private def leaves(plan: SparkPlan): Seq[SparkPlan] = plan match {
    case stage: QueryStageExec => leaves(stage.plan)
    case ReusedExchangeExec(_, exchange) => leaves(exchange)
    case adaptive: AdaptiveSparkPlanExec => leaves(adaptive.executedPlan)
    case filtered: ScanLike => leaves(filtered.child)
    case leaf if leaf.children.isEmpty => Seq(leaf)
    case other => other.children.flatMap(leaves)
  }

  private def ofTable(scan: SparkPlan): Option[String] = scan match {
    case files: FileSourceScanExec =>
      files.tableIdentifier.map(_.unquotedString).orElse(directories(files.relation.location.rootPaths))
    case source: DataSourceScanExec => source.tableIdentifier.map(_.unquotedString)
    case cached: InMemoryTableScanExec =>
      val of = cached.relation.cacheBuilder
      of.tableName.orElse(Some(tables(of.cachedPlan).mkString(", "))).filter(_.nonEmpty)
    case source: BatchScanExec => Some(source.table.name)
    case stage: QueryStageExec => ofTable(stage.plan)
    case hive if hive.nodeName.startsWith(Hive) => Some(hive.nodeName.stripPrefix(Hive))
    case _ => None
  }

  // A table of Hive's own formats is read by an operator of a module that may be absent.
  private val Hive = "Scan hive "

  private def directories(paths: Seq[Path]): Option[String] = paths.headOption.map { first =>
    if (paths.size == 1) first.toString else s"$first and ${paths.size - 1} more"
  }

  /** Name without catalog, schema and parent folders, which differ between targets. */
  def relative(scan: SparkPlan): String = scan match {
    case files: FileSourceScanExec if files.tableIdentifier.isEmpty =>
      files.relation.location.rootPaths.map(_.getName).mkString(", ")
    case source: DataSourceScanExec => source.tableIdentifier.fold(source.nodeName)(_.table)
    // a cached query has no name but its plan, with numbers that are others each time
    case cached: InMemoryTableScanExec =>
      cached.relation.cacheBuilder.tableName.fold(cached.relation.output.map(_.name).mkString(", "))(last)
    case stage: QueryStageExec => relative(stage.plan)
    case other => last(apply(other))
  }

  /** Last part of a name such as `catalog.schema.table`, `parquet file:/folder/table` or `Scan hive
    * catalog.schema.table`.
    */
  private def last(name: String): String = {
    val word = name.substring(name.lastIndexWhere(c => c == ' ' || c == '/') + 1)
    Try(CatalystSqlParser.parseMultipartIdentifier(word).last).getOrElse(word)
  }
}
