package io.adaptivespark.join.rule

import org.apache.spark.sql.execution.SparkPlan

import io.adaptivespark.conf.{AdaptiveSparkConf, DynamicFilterSettings}
import io.adaptivespark.history.{PruningMemory, QueryId, Verdict}

/** Refuses filters that [[PruningMemory]] knows to have kept too many rows when they last ran. A refusal counts as a query without the filter. */
final private[rule] class PastRuns(plan: SparkPlan, settings: DynamicFilterSettings)
    extends (ScanFilter => Option[Verdict]) {

  override def apply(filter: ScanFilter): Option[Verdict] = {
    import filter.signature
    val query = QueryId.of(plan.session.sparkContext)
    def expected =
      PruningMemory.expected(signature, settings.queryTag, query, AdaptiveSparkConf.Prior.in(plan.conf))
    for {
      kept <- if (filter.waits) expected else None
      verdict <- DynamicFilterCost.refusal(kept)
    } yield {
      PruningMemory.leaveOut(signature, settings.queryTag, query, kept)
      verdict
    }
  }
}
