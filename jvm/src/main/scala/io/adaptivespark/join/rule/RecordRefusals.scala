package io.adaptivespark.join.rule

import org.apache.spark.sql.execution.SparkPlan
import org.slf4j.LoggerFactory

import io.adaptivespark.conf.DynamicFilterSettings
import io.adaptivespark.hint.DynamicFilterHint
import io.adaptivespark.history.{DriverMemory, DynamicFilterHistory}
import io.adaptivespark.history.label.QueryLabels
import io.adaptivespark.history.text.{RedactedText, WrittenSql}

/** Puts refusals into the history, once a query, and into the log: as a warning where a hint asked for the filter, else
  * only where the session is verbose.
  */
final private[rule] class RecordRefusals(plan: SparkPlan, settings: DynamicFilterSettings)
    extends (RefusedFilter => Unit) {
  private val user = LoggerFactory.getLogger("io.adaptivespark.join.DynamicFilter")

  override def apply(refused: RefusedFilter): Unit = {
    val probe = RedactedText(WrittenSql(refused.keys.probe, plan))
    val build = RedactedText(WrittenSql(refused.keys.build, plan))
    val context = plan.session.sparkContext
    val isNew = DriverMemory.of(context).dynamicFilters.add(
      DynamicFilterHistory.Entry(
        QueryLabels.of(context, settings.queryTag, settings.runId),
        RedactedText(refused.scan),
        probe,
        build,
        refused.verdict,
        refused.signature,
        None,
        None
      )
    )
    val why = refused.verdict.text
    if (isNew && refused.keys.isHinted)
      user.warn(s"${DynamicFilterHint.On} has no effect on $probe by $build: $why.")
    else if (isNew && settings.verbose) user.info(s"No dynamic filter on $probe by $build: $why.")
  }
}
