package io.adaptivespark.aqe

import java.util.concurrent.atomic.AtomicBoolean

import scala.util.control.NonFatal

import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Statistics}
import org.apache.spark.sql.catalyst.plans.logical.statsEstimation.EstimationUtils
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.{
  InputAdapter,
  PartialReducerPartitionSpec,
  ProjectExec,
  SparkPlan,
  WholeStageCodegenExec
}
import org.apache.spark.sql.execution.adaptive.{
  AQEShuffleReadExec,
  LogicalQueryStage,
  QueryStageExec,
  ShuffleQueryStageExec
}
import org.apache.spark.sql.execution.aggregate.BaseAggregateExec
import org.apache.spark.sql.execution.exchange.{Exchange, ReusedExchangeExec}
import org.apache.spark.sql.execution.joins.BaseJoinExec
import org.apache.spark.sql.internal.SQLConf
import org.slf4j.LoggerFactory

import io.adaptivespark.conf.AdaptiveSparkConf
import io.adaptivespark.history.{DriverMemory, PlanHistory}
import io.adaptivespark.history.label.QueryLabels
import io.adaptivespark.history.text.RedactedText
import io.adaptivespark.join.exec.DynamicFilterExec
import io.adaptivespark.scan.ScanName

/** Records how a stage's plan differs from the planned one, each time that adaptive execution has settled
  * one. Changes no plan.
  */
object RecordPlanChanges extends Rule[SparkPlan] {
  // Factor between the rows expected and met, from which on Spark plans other joins. Exported to the dbt
  // adapter.
  val WrongBy = 10

  private val logger = LoggerFactory.getLogger(getClass)
  private val hasFailed = new AtomicBoolean

  override def apply(plan: SparkPlan): SparkPlan = {
    try record(plan)
    catch {
      case NonFatal(error) if hasFailed.compareAndSet(false, true) =>
        logger.warn("What adaptive execution changes can not be told: a plan could not be compared.", error)
      case NonFatal(error) => logger.debug("A plan could not be compared with what was planned.", error)
    }
    plan
  }

  private def record(plan: SparkPlan): Unit =
    if (plan.exists(_.isInstanceOf[QueryStageExec])) plan.foreach {
      case read @ AQEShuffleReadExec(stage: ShuffleQueryStageExec, _) => recordRead(read, stage)
      case join: BaseJoinExec =>
        for (
          planned <- join.logicalLink.flatMap(_.getTagValue(TagPlannedJoins.Planned));
          actual = TagPlannedJoins.nameOf(join) if planned != actual
        ) add(plan, "join", None, actual, join, planned, actual)
      case stage: QueryStageExec => recordRows(plan, stage)
      case _ =>
    }

  private def recordRead(read: AQEShuffleReadExec, stage: ShuffleQueryStageExec): Unit = {
    val parts = read.partitionSpecs.collect { case part: PartialReducerPartitionSpec => part.reducerIndex }
    if (read.hasCoalescedPartition)
      add(
        read,
        "coalesced",
        Some(stage.id),
        "Exchange",
        stage,
        stage.shuffle.numPartitions,
        read.partitionSpecs.size
      )
    if (read.hasSkewedPartition)
      add(read, "split", Some(stage.id), "Exchange", stage, parts.distinct.size, parts.size)
  }

  private def recordRows(plan: SparkPlan, stage: QueryStageExec): Unit =
    for (
      logical <- stage.logicalLink.map(asPlanned) if !isPartial(stage.plan) && !isFiltered(stage);
      actual <- stage.getRuntimeStatistics.rowCount
    ) {
      val planned = expected(logical, logical.stats)
      val (fewer, more) = (planned.min(actual), planned.max(actual))
      if (more > fewer.max(1) * WrongBy && more * bytesOfRow(logical) > smallBytes(plan))
        add(
          plan,
          "rows",
          Some(stage.id),
          logical.nodeName,
          stage,
          planned,
          actual,
          Some(WantedStatistics(logical, planned > actual).map(_.identifier.unquotedString).distinct)
        )
    }

  // Below a broadcast's size Spark plans the same join by either number. If broadcasts are off, Spark's
  // default stands for that size.
  private def smallBytes(plan: SparkPlan): Long = {
    val mostBroadcast = plan.conf.autoBroadcastJoinThreshold
    if (mostBroadcast > 0) mostBroadcast else SQLConf.AUTO_BROADCASTJOIN_THRESHOLD.defaultValue.get
  }

  private def bytesOfRow(logical: LogicalPlan): BigInt = EstimationUtils.getSizePerRow(logical.output).max(1)

  // LogicalQueryStage, which stands for a stage that has run, knows the actual rows.
  private def asPlanned(logical: LogicalPlan): LogicalPlan = logical match {
    case LogicalQueryStage(planned, _) => planned
    case other => other
  }

  /** Rows that the planner expected; if it knew only bytes, the rows that fit into them. */
  private def expected(logical: LogicalPlan, statistics: Statistics): BigInt =
    statistics.rowCount.getOrElse(statistics.sizeInBytes / bytesOfRow(logical))

  // The planner does not estimate the rows of a partial aggregate.
  private def isPartial(plan: SparkPlan): Boolean = plan match {
    case exchange: Exchange => aggregates(exchange.child)
    case ReusedExchangeExec(_, exchange) => isPartial(exchange)
    case _ => false
  }

  // The planner rightly expected the rows that a dynamic filter kept out of the scan.
  private def isFiltered(plan: SparkPlan): Boolean = plan.exists {
    case _: DynamicFilterExec => true
    case stage: QueryStageExec => isFiltered(stage.plan)
    case ReusedExchangeExec(_, exchange) => isFiltered(exchange)
    case _ => false
  }

  private def aggregates(plan: SparkPlan): Boolean = plan match {
    case _: BaseAggregateExec => true
    case ProjectExec(_, child) => aggregates(child)
    case WholeStageCodegenExec(child) => aggregates(child)
    case InputAdapter(child) => aggregates(child)
    case _ => false
  }

  private def add(
      plan: SparkPlan,
      kind: String,
      stage: Option[Int],
      node: String,
      below: SparkPlan,
      planned: Any,
      actual: Any,
      statistics: Option[Seq[String]] = None
  ): Unit = DriverMemory.of(plan.session.sparkContext).plans.add(
    PlanHistory.Entry(
      QueryLabels.of(
        plan.session.sparkContext,
        AdaptiveSparkConf.QueryTag.in(plan.conf),
        AdaptiveSparkConf.RunId.in(plan.conf)
      ),
      kind,
      stage,
      node,
      RedactedText(ScanName.tables(below).mkString(", ")),
      planned.toString,
      actual.toString,
      statistics.map(tables => RedactedText(tables.mkString(", ")))
    )
  )
}
