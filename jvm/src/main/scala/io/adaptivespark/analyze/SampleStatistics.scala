package io.adaptivespark.analyze

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.catalog.CatalogTableType
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.command.AnalyzeColumnCommand

import io.adaptivespark.conf.AdaptiveSparkConf
import io.adaptivespark.shim.SessionShim

/** Makes `ANALYZE TABLE … FOR COLUMNS` sample rows, or make histograms of some columns only, if the confs
  * of `spark.sql.adaptiveStatistics` ask for it. `FOR ALL COLUMNS` then leaves out columns whose statistics
  * the planner cannot use. Temporary views stay with Spark's own command.
  */
final case class SampleStatistics(session: SparkSession) extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan = plan match {
    case command: AnalyzeColumnCommand =>
      val fraction = AdaptiveSparkConf.Sample.in(conf)
      val histograms = AdaptiveSparkConf.HistogramColumns.in(conf)
      if ((fraction < 1 || histograms.isDefined) && isTable(command))
        AnalyzeSampleCommand(command, fraction, histograms, AdaptiveSparkConf.rowCount(conf))
      else command
    case other => other
  }

  private def isTable(command: AnalyzeColumnCommand): Boolean = {
    val catalog = SessionShim.catalog(session)
    def kind = catalog.getTableMetadata(command.tableIdent).tableType
    !catalog.isTempView(command.tableIdent) &&
    (kind == CatalogTableType.MANAGED || kind == CatalogTableType.EXTERNAL)
  }
}
