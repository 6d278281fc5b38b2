package io.adaptivespark.stats

import scala.util.Try

import org.apache.spark.sql.catalyst.parser.CatalystSqlParser
import org.apache.spark.sql.execution.{DataSourceScanExec, FileSourceScanExec, SparkPlan}
import org.apache.spark.sql.execution.adaptive.QueryStageExec
import org.apache.spark.sql.execution.columnar.InMemoryTableScanExec
import org.apache.spark.sql.execution.datasources.v2.BatchScanExec

/** What a leaf of a plan reads, as a user knows it: the table, or the directory. */
private[adaptivespark] object ScanName {
  def apply(scan: SparkPlan): String = scan match {
    case files: FileSourceScanExec =>
      files.tableIdentifier.map(_.unquotedString).getOrElse(files.relation.location.rootPaths.mkString(", "))
    case cached: InMemoryTableScanExec => cached.relation.cacheBuilder.cachedName
    case source: BatchScanExec => source.table.name
    case stage: QueryStageExec => apply(stage.plan)
    case other => other.nodeName
  }

  /** The name without catalog, schema and parent folders, which differ between targets. */
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

  /** The last part of a name such as `catalog.schema.table`, `parquet file:/folder/table` or `Scan hive catalog.schema.table`. */
  private def last(name: String): String = {
    val word = name.substring(name.lastIndexWhere(c => c == ' ' || c == '/') + 1)
    Try(CatalystSqlParser.parseMultipartIdentifier(word).last).getOrElse(word)
  }
}
