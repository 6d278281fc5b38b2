package io.adaptivespark.filter.exec

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.codegen.{ExprCode, FalseLiteral}
import org.apache.spark.sql.catalyst.plans.physical.Partitioning
import org.apache.spark.sql.execution._
import org.apache.spark.sql.execution.adaptivespark.MapPartitions
import org.apache.spark.sql.execution.metric.{SQLMetric, SQLMetrics}

import io.adaptivespark.conf.FilterSettings
import io.adaptivespark.filter.plan.ConjunctPlan
import io.adaptivespark.filter.run.{FilterMetrics, FilterRun}
import io.adaptivespark.shim.{SharedSubexpressionsShim, SortMergeSafe}

/** Spark's filter with an order of evaluation that is learned while it runs (arXiv 1905.01349). Base of its
  * forms.
  *
  * Rows, output and plan properties are those of `FilterExec(condition, child)`. [[ConjunctPlan]] says what
  * may move.
  */
trait AdaptiveFilter extends UnaryExecNode with CodegenSupport with SortMergeSafe {
  def condition: Expression
  def settings: FilterSettings

  /** True if it filters column batches. */
  protected def batches: Boolean

  @transient private lazy val stock = FilterExec(condition, child)

  /** The condition as generated code evaluates it. */
  @transient protected lazy val plan: ConjunctPlan = planOf(generated = true)

  private def planOf(generated: Boolean): ConjunctPlan =
    ConjunctPlan.of(condition, settings.exact, SharedSubexpressionsShim.sharesSubexpressions(conf), generated)

  override def nodeName: String = "AdaptiveFilter"
  override def output: Seq[Attribute] = stock.output
  override def outputOrdering: Seq[SortOrder] = stock.outputOrdering
  override def outputPartitioning: Partitioning = stock.outputPartitioning

  override lazy val metrics: Map[String, SQLMetric] = Map(
    "numInputRows" -> SQLMetrics.createMetric(sparkContext, "number of input rows"),
    "numOutputRows" -> SQLMetrics.createMetric(sparkContext, "number of output rows"),
    "numSampledRows" -> SQLMetrics.createMetric(sparkContext, "number of sampled rows"),
    "numReorderings" -> SQLMetrics.createMetric(sparkContext, "number of reorderings"),
    "samplingTime" -> SQLMetrics.createNanoTimingMetric(sparkContext, "time spent sampling")
  )

  // The run whose code was generated last, for tests. Spark may generate code in several threads, and each
  // execution has a run of its own.
  @transient @volatile private var generatedRun: Option[FilterRun] = None

  protected def newRun(): FilterRun = {
    val run = start(plan)
    generatedRun = Some(run)
    run
  }

  /** Conjuncts in the initial order; empty if no code was generated. */
  private[adaptivespark] def initialOrder: Seq[Int] = generatedRun.toSeq.flatMap { run =>
    plan.segments.zip(run.orderings).flatMap { case (segment, ordering) =>
      ordering.initial.leaves(segment.shape).map(segment.from + _)
    }
  }

  private def start(plan: ConjunctPlan): FilterRun = FilterRun.start(
    sparkContext,
    plan,
    settings,
    FilterMetrics(
      longMetric("numInputRows"),
      longMetric("numOutputRows"),
      longMetric("numSampledRows"),
      longMetric("numReorderings"),
      longMetric("samplingTime")
    ),
    batches,
    child,
    logicalLink
  )

  /** Marks input columns as not null that the condition proves not null, for the operators above. */
  protected def markNotNull(input: Seq[ExprCode]): Unit = input.zip(child.output).zip(output).foreach {
    case ((code, before), after) => if (before.nullable && !after.nullable) code.isNull = FalseLiteral
  }

  /** Filters rows outside of generated code. */
  protected def interpreted(rows: RDD[InternalRow]): RDD[InternalRow] = {
    val plan = planOf(generated = false)
    val run = start(plan)
    val rowsOut = longMetric("numOutputRows")
    val (conjuncts, segments, input) = (plan.conjuncts.map(_.expression), plan.segments, child.output)
    MapPartitions.withIndex(rows) { (partition, rows) =>
      val filter = new InterpretedFilter(conjuncts, segments, input, partition, run.startTask(partition))
      rows.filter { row =>
        val passes = filter.passes(row)
        if (passes) rowsOut += 1
        passes
      }
    }
  }

  // Settings are no part of what the filter computes.
  override protected def stringArgs: Iterator[Any] = Iterator(condition)

  override def verboseStringWithOperatorId(): String = {
    val conjuncts = plan.conjuncts.zipWithIndex.map { case (c, i) =>
      s"[$i] ${c.expression}${if (c.mayThrow) " (may throw)" else ""}"
    }
    s"""
       |$formattedNodeName
       |${ExplainUtils.generateFieldString("Input", child.output)}
       |Condition : $condition
       |Conjuncts : ${conjuncts.mkString(", ")}
       |""".stripMargin
  }
}
