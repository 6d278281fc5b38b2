package io.adaptivespark.stats

import org.apache.spark.sql.execution.{FileSourceScanExec, SparkPlan}
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
}
