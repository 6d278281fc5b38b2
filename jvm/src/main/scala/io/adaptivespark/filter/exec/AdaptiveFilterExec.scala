package io.adaptivespark.filter.exec

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.codegen._
import org.apache.spark.sql.execution._

import io.adaptivespark.conf.FilterSettings
import io.adaptivespark.filter.codegen.RowFilterCodegen
import io.adaptivespark.shim.SharedSubexpressionsShim

/** The adaptive filter over rows. */
case class AdaptiveFilterExec(condition: Expression, settings: FilterSettings, child: SparkPlan)
    extends AdaptiveFilter {
  override protected def batches: Boolean = false

  // Columns are read where the first conjunct needs them.
  override def usedInputs: AttributeSet = AttributeSet.empty

  override def inputRDDs(): Seq[RDD[InternalRow]] = child.asInstanceOf[CodegenSupport].inputRDDs()

  @transient private var around: String => String = identity

  override protected def doProduce(ctx: CodegenContext): String = {
    val loop = child.asInstanceOf[CodegenSupport].produce(ctx, this)
    around(loop)
  }

  override def doConsume(ctx: CodegenContext, input: Seq[ExprCode], row: ExprCode): String = {
    val code = new RowFilterCodegen(
      ctx,
      plan,
      SharedSubexpressionsShim.sharesSubexpressions(conf),
      child.output,
      input
    )
    val passes = code.generate(newRun())
    val count = code.countPassing(metricTerm(ctx, "numOutputRows"))
    around = code.around
    markNotNull(input)
    s"""
       |do {
       |  $passes
       |  $count
       |  ${consume(ctx, input)}
       |} while (false);
     """.stripMargin
  }

  override protected def doExecute(): RDD[InternalRow] = interpreted(child.execute())

  override protected def withNewChildInternal(newChild: SparkPlan): AdaptiveFilterExec =
    copy(child = newChild)
}
