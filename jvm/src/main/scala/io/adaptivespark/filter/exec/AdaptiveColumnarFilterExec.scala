package io.adaptivespark.filter.exec

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.codegen._
import org.apache.spark.sql.execution._
import org.apache.spark.sql.execution.adaptivespark.MapPartitions
import org.apache.spark.sql.vectorized.{ColumnarBatch, ColumnVector}

import io.adaptivespark.conf.FilterSettings
import io.adaptivespark.filter.codegen.ColumnarFilterCodegen
import io.adaptivespark.filter.run.ClosedInTurn
import io.adaptivespark.scan.{ScanKind, ScanLike}
import io.adaptivespark.shim.JavaCollections._
import io.adaptivespark.shim.SharedSubexpressionsShim

/** The adaptive filter over column batches. It also turns batches into rows: only rows that pass. */
case class AdaptiveColumnarFilterExec(condition: Expression, settings: FilterSettings, child: SparkPlan)
    extends AdaptiveFilter {
  override protected def batches: Boolean = true

  // It begins a stage of generated code, like Spark's ColumnarToRowExec.
  override def needCopyResult: Boolean = false
  override protected def canCheckLimitNotReached: Boolean = true

  // Takes batches from below InputAdapter, which would be serialized with the plan for stages that have no
  // use for it.
  override def inputRDDs(): Seq[RDD[InternalRow]] = {
    val input = child match {
      case InputAdapter(below) => below
      case below => below
    }
    Seq(batchesOf(input).asInstanceOf[RDD[InternalRow]])
  }

  private def batchesOf(input: SparkPlan): RDD[ColumnarBatch] = {
    val batches = input.executeColumnar()
    val scan = input match {
      case like: ScanLike => like.child
      case scan => scan
    }
    if (ScanKind.of(scan).keepsBatches) MapPartitions(batches)(new ClosedInTurn(_)) else batches
  }

  override protected def doProduce(ctx: CodegenContext): String = {
    val vectorClasses =
      child.vectorTypes.getOrElse(Seq.fill(child.output.size)(classOf[ColumnVector].getName))
    val code =
      new ColumnarFilterCodegen(
        ctx,
        plan,
        SharedSubexpressionsShim.sharesSubexpressions(conf),
        child.output,
        vectorClasses
      )
    val filter = code.filter(newRun())
    val next = ctx.addMutableState(CodeGenerator.JAVA_INT, "nextSelected")
    val (rows, row, i) = (ctx.freshName("rows"), ctx.freshName("row"), ctx.freshName("i"))
    val (first, end) = (ctx.freshName("first"), ctx.freshName("end"))
    val rowsOut = metricTerm(ctx, "numOutputRows")
    ctx.INPUT_ROW = null
    ctx.currentVars = null
    val columns = code.columns(row)
    markNotNull(columns)
    val stop =
      if (parent.needStopCheck)
        s"if (shouldStop()) { $rowsOut.add($i + 1 - $first); $next = $i + 1; return; }"
      else ""
    val advance = ctx.freshName("advanceSelection")
    val advanceMethod = ctx.addNewFunction(
      advance,
      s"""
         |private boolean $advance() {
         |  $next = 0;
         |  return $filter.advance();
         |}
       """.stripMargin
    )
    s"""
       |while ($limitNotReachedCond ($next < $filter.count() || $advanceMethod())) {
       |  final int[] $rows = $filter.rows();
       |  final int $first = $next;
       |  final int $end = $filter.count();
       |  for (int $i = $first; $i < $end; $i++) {
       |    final int $row = $rows[$i];
       |    ${consume(ctx, columns).trim}
       |    $stop
       |  }
       |  $rowsOut.add($end - $first);
       |  $next = $end;
       |}
     """.stripMargin
  }

  override protected def doExecute(): RDD[InternalRow] = {
    val (input, columns) = (child.output, output)
    val rows = MapPartitions(batchesOf(child))(_.flatMap(_.rowIterator.asScala))
    MapPartitions(interpreted(rows)) { passed =>
      val project = UnsafeProjection.create(columns, input)
      passed.map(project)
    }
  }

  override protected def withNewChildInternal(newChild: SparkPlan): AdaptiveColumnarFilterExec =
    copy(child = newChild)
}
