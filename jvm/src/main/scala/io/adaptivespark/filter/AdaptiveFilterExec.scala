package io.adaptivespark.filter

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.codegen._
import org.apache.spark.sql.catalyst.plans.physical.Partitioning
import org.apache.spark.sql.execution._
import org.apache.spark.sql.execution.metric.{SQLMetric, SQLMetrics}

import io.adaptivespark.stats.FilterHistory

/** Spark's filter, with an order of evaluation that is learned while it runs (arXiv 1905.01349).
  *
  * Rows, output and plan properties are those of `FilterExec(condition, child)`; see [[ConjunctPlan]] for what may move.
  */
case class AdaptiveFilterExec(condition: Expression, settings: FilterSettings, child: SparkPlan)
    extends UnaryExecNode
    with CodegenSupport
    with FilterShim.StockTraits {
  @transient private lazy val stock = FilterExec(condition, child)
  @transient private lazy val plan = planOf(generated = true)

  private def planOf(generated: Boolean): ConjunctPlan =
    ConjunctPlan.of(condition, settings.exact, FilterShim.sharesSubexpressions(conf), generated)

  override def output: Seq[Attribute] = stock.output
  override def outputOrdering: Seq[SortOrder] = stock.outputOrdering
  override def outputPartitioning: Partitioning = stock.outputPartitioning

  // Columns are read where the first conjunct needs them, not before.
  override def usedInputs: AttributeSet = AttributeSet.empty

  override lazy val metrics: Map[String, SQLMetric] = Map(
    "numInputRows" -> SQLMetrics.createMetric(sparkContext, "number of input rows"),
    "numOutputRows" -> SQLMetrics.createMetric(sparkContext, "number of output rows"),
    "numSampledRows" -> SQLMetrics.createMetric(sparkContext, "number of sampled rows"),
    "numReorderings" -> SQLMetrics.createMetric(sparkContext, "number of reorderings"),
    "samplingTime" -> SQLMetrics.createNanoTimingMetric(sparkContext, "time spent sampling")
  )

  // The run whose code was generated last; it is recorded when it is executed, not when it is explained.
  @transient private var run: FilterRun = _

  private def newRun(plan: ConjunctPlan): FilterRun = {
    run = FilterRun.start(
      sparkContext,
      plan,
      settings,
      FilterMetrics(
        longMetric("numInputRows"),
        longMetric("numOutputRows"),
        longMetric("numSampledRows"),
        longMetric("numReorderings"),
        longMetric("samplingTime")
      )
    )
    run
  }

  private def record(plan: ConjunctPlan): Unit = FilterHistory.add(sparkContext, run, plan, settings)

  override def inputRDDs(): Seq[RDD[InternalRow]] = {
    if (run != null) record(plan)
    child.asInstanceOf[CodegenSupport].inputRDDs()
  }

  override protected def doProduce(ctx: CodegenContext): String =
    child.asInstanceOf[CodegenSupport].produce(ctx, this)

  override def doConsume(ctx: CodegenContext, input: Seq[ExprCode], row: ExprCode): String = {
    val passes = new FilterCode(
      ctx,
      plan,
      FilterShim.sharesSubexpressions(conf),
      child.output,
      input
    ).generate(newRun(plan))
    // All conjuncts have passed: what they prove not null is not null for the operators above.
    input.zip(child.output).zip(output).foreach { case ((code, before), after) =>
      if (before.nullable && !after.nullable) code.isNull = FalseLiteral
    }
    s"""
       |do {
       |  $passes
       |  ${metricTerm(ctx, "numOutputRows")}.add(1);
       |  ${consume(ctx, input)}
       |} while (false);
     """.stripMargin
  }

  override protected def doExecute(): RDD[InternalRow] = {
    val plan = planOf(generated = false)
    val started = newRun(plan)
    record(plan)
    val rowsOut = longMetric("numOutputRows")
    val (conjuncts, segments, input) = (plan.conjuncts.map(_.expression), plan.segments, child.output)
    child.execute().mapPartitionsWithIndex(
      (partition, rows) => {
        val filter =
          new InterpretedFilter(conjuncts, segments, input, partition, started.startTask(partition))
        rows.filter { row =>
          val passes = filter.passes(row)
          if (passes) rowsOut += 1
          passes
        }
      },
      preservesPartitioning = true
    )
  }

  // The settings are no part of what the filter computes.
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

  override protected def withNewChildInternal(newChild: SparkPlan): AdaptiveFilterExec =
    copy(child = newChild)
}
