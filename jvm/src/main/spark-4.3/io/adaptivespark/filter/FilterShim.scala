package io.adaptivespark.filter

import org.apache.spark.sql.catalyst.expressions.{BinaryArithmetic, EvalMode, Expression}
import org.apache.spark.sql.execution.{SafeForKWayMerge, SparkPlan}
import org.apache.spark.sql.execution.datasources.v2.RealTimeStreamScanExec
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.vectorized.ColumnarBatch

/** What Spark lines differ in around `FilterExec`. */
private[filter] object FilterShim {

  /** 4.0 turned the trait `NullIntolerant` into a method. */
  def isNullIntolerant(expression: Expression): Boolean = expression.nullIntolerant

  /** 4.0 wrapped the evaluation mode of arithmetic in an evaluation context. */
  def isAnsi(arithmetic: BinaryArithmetic): Boolean = arithmetic.evalContext.evalMode == EvalMode.ANSI

  /** 4.2 began to evaluate subexpressions that conjuncts share only once (`spark.sql.subexpressionElimination.filterExec.enabled`). */
  def sharesSubexpressions(conf: SQLConf): Boolean =
    conf.subexpressionEliminationEnabled && conf.subexpressionEliminationFilterExecEnabled

  /** 4.0 began to close batches that are read once. */
  def release(batch: ColumnarBatch): Unit = batch.closeIfFreeable()

  /** 4.3 merges sorted partitions lazily, and only above operators that say that they may be interleaved: each partition has a monitor of its own. */
  trait StockTraits extends SafeForKWayMerge

  /** 4.1 began to run streams in real time, with a list of the operators allowed in them. */
  def refusesOtherOperators(plan: SparkPlan): Boolean = plan.exists(_.isInstanceOf[RealTimeStreamScanExec])
}
