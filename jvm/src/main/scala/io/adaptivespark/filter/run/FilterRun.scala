package io.adaptivespark.filter.run

import java.io.ObjectOutputStream
import java.util.concurrent.atomic.AtomicReference

import scala.collection.mutable.ArrayBuffer

import org.apache.spark.{SparkContext, TaskContext}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.vectorized.ColumnarBatch

import io.adaptivespark.conf.{FilterSettings, Rate}
import io.adaptivespark.filter.order.{LearnedOrder, OrderPolicy, SegmentOrdering}
import io.adaptivespark.filter.plan.{ConjunctPlan, Segment}
import io.adaptivespark.filter.sampling.{
  ConjunctLoops,
  FilterReport,
  FilterReportAccumulator,
  RowMonitor,
  SamplingDistance,
  SegmentMonitor,
  SharedOrder,
  SliceMonitor,
  TaskMonitor
}
import io.adaptivespark.history.{DriverMemory, FilterHistory}
import io.adaptivespark.history.label.QueryLabels
import io.adaptivespark.history.text.{RedactedText, WrittenSql}

/** One execution of an adaptive filter. The driver makes it and sends it to the tasks, each of which gets a
  * copy.
  *
  * @param key
  *   by which its tasks on an executor find the order that they share
  * @param orderings
  *   by segment
  * @param onSend
  *   called when it is sent to tasks for the first time
  */
final class FilterRun private (
    val id: Long,
    key: String,
    segments: Array[Segment],
    val orderings: Array[SegmentOrdering],
    collectRate: Rate,
    report: FilterReportAccumulator,
    metrics: FilterMetrics,
    onSend: () => Unit
) extends Serializable {
  @transient private lazy val monitors = ArrayBuffer.empty[TaskMonitor]
  @transient private val unsent = new AtomicReference(onSend)

  // Spark serializes it before the first task starts, after it has both the code and the input. Code that
  // is only explained is never serialized. A task's copy has nothing to call.
  private def writeObject(out: ObjectOutputStream): Unit = {
    Option(unsent).flatMap(of => Option(of.getAndSet(null))).foreach(tell => tell())
    out.defaultWriteObject()
  }

  /** Starts monitoring the rows of a partition. The task reports when it completes. */
  def startTask(partition: Int): TaskMonitor =
    start(new RowMonitor(_, _, partition, SamplingDistance(collectRate, partition)))

  /** Starts filtering the column batches of a partition. */
  def startBatches(
      partition: Int,
      batches: Iterator[ColumnarBatch],
      loops: ConjunctLoops
  ): SelectionVectorFilter = {
    val monitor = start(new SliceMonitor(_, _, partition, SamplingDistance(collectRate, partition)))
    new SelectionVectorFilter(batches, loops, segments, orderings.exists(_.mayThrow.contains(true)), monitor)
  }

  private def start(monitorOf: (SharedOrder, SegmentOrdering) => SegmentMonitor): TaskMonitor = {
    val monitor = new TaskMonitor(segments.zip(orderings).map { case (segment, ordering) =>
      if (segment.movable)
        monitorOf(SharedOrder.of(s"$key/${segment.from}")(new SharedOrder(ordering)), ordering)
      else null
    })
    if (monitors.isEmpty) Option(TaskContext.get()).foreach(_.addTaskCompletionListener[Unit](_ => finish()))
    monitors += monitor
    monitor
  }

  private def finish(): Unit = {
    val seen = new FilterReport(segments.last.until)
    for (monitor <- monitors; at <- segments.indices)
      Option(monitor.segment(at)).foreach(_.finish(seen, segments(at).from))
    seen.addRows(monitors.map(_.rows).sum, metrics.rowsOut.value)
    // A task of a UNION ALL reads one of its inputs and has the filters of all.
    if (!seen.isEmpty) {
      metrics.rowsIn.add(seen.rowsIn)
      metrics.sampled.add(seen.samples)
      metrics.reorderings.add(seen.reorderings)
      metrics.samplingTime.add(seen.samplingNanos)
      report.add((TaskContext.getPartitionId(), seen))
    }
    monitors.clear()
  }
}

object FilterRun {
  // Share of the cost that a new order has to save. Over rows the initial order is inlined and any other
  // one runs in a method of its own; over batches all orders run alike.
  private val MarginOfRows = 0.2
  private val MarginOfBatches = 0.02

  /** Registers a run with the driver's `context`. It enters the history when it is sent to tasks.
    *
    * @param child
    *   the plan that returns the filter's rows, for the names in its predicates
    * @param below
    *   the logical plan of these rows, for its statistics
    */
  def start(
      context: SparkContext,
      plan: ConjunctPlan,
      settings: FilterSettings,
      metrics: FilterMetrics,
      batches: Boolean,
      child: SparkPlan,
      below: Option[LogicalPlan]
  ): FilterRun = {
    val report = new FilterReportAccumulator(plan.conjuncts.size)
    context.register(report)
    val memory = DriverMemory.of(context)
    val labels = QueryLabels.of(context, settings.queryTag, settings.runId)
    val learners = memory.learners(labels.user)
    val id = memory.nextFilterId()
    val policy =
      OrderPolicy.of(settings.policy, settings.momentum, if (batches) MarginOfBatches else MarginOfRows)
    val canonical = plan.canonical
    val prior =
      if (settings.learnedOrder) memory.filterMemory.prior(learners, canonical, memory.priors.of(labels))
      else None
    val orderings = plan.segments.map { segment =>
      val leaves = plan.conjuncts.slice(segment.from, segment.until)
      val known = prior.map(_.select(segment.from until segment.until)).filter(_.samples > 0)
      SegmentOrdering(
        s"$id at ${segment.from}" + (if (settings.queryTag.isEmpty) "" else s" of ${settings.queryTag}"),
        segment.shape,
        leaves.map(_.mayThrow),
        policy,
        epochSamples = settings.epochSamples,
        initial =
          if (!settings.learnedOrder && segment.hinted.isEmpty) LearnedOrder.written(segment.shape)
          else InitialOrder.of(
            leaves,
            segment,
            policy,
            known,
            InitialOrder.selectivities(leaves, below, SQLConf.get)
          ),
        known,
        settings.verbose
      )
    }
    val texts = WrittenSql(plan.conjuncts.map(_.expression), child)
    val branches = plan.branches
    val predicates = plan.conjuncts.indices.map(i =>
      FilterHistory.Predicate(
        RedactedText(texts(i)),
        canonical(i).shape,
        plan.conjuncts(i).mayThrow,
        branches(i)
      )
    )
    val entry = FilterHistory.Entry(labels, id, report.report, predicates)
    new FilterRun(
      id,
      memory.keyOf(id),
      plan.segments.toArray,
      orderings.toArray,
      settings.collectRate,
      report,
      metrics,
      onSend = () => {
        memory.filterMemory.add(learners, report.report, canonical)
        memory.filters.add(entry)
      }
    )
  }
}
