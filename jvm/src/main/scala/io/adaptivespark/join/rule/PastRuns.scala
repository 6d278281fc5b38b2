package io.adaptivespark.join.rule

import org.apache.spark.sql.execution.SparkPlan

import io.adaptivespark.conf.DynamicFilterSettings
import io.adaptivespark.history.{DriverMemory, Verdict}
import io.adaptivespark.history.label.QueryLabels
import io.adaptivespark.history.memory.PruningMemory

/** Refuses filters that [[PruningMemory]] knows to have kept too many rows when they last ran.
  *
  * A refusal counts as a query without the filter.
  */
final private[rule] class PastRuns(plan: SparkPlan, settings: DynamicFilterSettings)
    extends (ScanFilter => Option[Verdict]) {

  override def apply(filter: ScanFilter): Option[Verdict] = {
    val memory = DriverMemory.of(plan.session.sparkContext)
    val labels = QueryLabels.of(plan.session.sparkContext, settings.queryTag, settings.runId)
    val key = PruningMemory.Key(memory.learners(labels.user), filter.signature, settings.queryTag)
    def expected = memory.pruningMemory.expected(key, labels.queryId, memory.priors.of(labels))
    for {
      kept <- if (filter.waits || filter.column.kind.choosesFilesAnew) expected else None
      verdict <- DynamicFilterCost.refusal(kept)
    } yield {
      memory.pruningMemory.leaveOut(key, labels.queryId, kept)
      verdict
    }
  }
}
