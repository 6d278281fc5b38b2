package io.adaptivespark.stats

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.catalog.CatalogTableType
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.command.AnalyzeColumnCommand

import io.adaptivespark.AdaptiveSparkConf

/** `ANALYZE TABLE … FOR COLUMNS` from a sample of the rows, where `spark.sql.adaptiveStatistics.sample` says so. Temporary views are Spark's own affair. */
final case class SampleStatistics(session: SparkSession) extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan = plan match {
    case command: AnalyzeColumnCommand if AdaptiveSparkConf.Sample.in(conf) < 1 && isTable(command) =>
      AnalyzeSampleCommand(command, AdaptiveSparkConf.Sample.in(conf))
    case other => other
  }

  private def isTable(command: AnalyzeColumnCommand): Boolean = {
    val catalog = StatsShim.catalog(session)
    def kind = catalog.getTableMetadata(command.tableIdent).tableType
    !catalog.isTempView(command.tableIdent) &&
    (kind == CatalogTableType.MANAGED || kind == CatalogTableType.EXTERNAL)
  }
}
