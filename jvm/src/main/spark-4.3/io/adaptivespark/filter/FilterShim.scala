package io.adaptivespark.filter

import org.apache.spark.sql.catalyst.expressions.{BinaryArithmetic, EvalMode, Expression}
import org.apache.spark.sql.internal.SQLConf

/** What Spark lines differ in around `FilterExec`. */
private[filter] object FilterShim {

  /** 4.0 turned the trait `NullIntolerant` into a method. */
  def isNullIntolerant(expression: Expression): Boolean = expression.nullIntolerant

  /** 4.0 wrapped the evaluation mode of arithmetic in an evaluation context. */
  def isAnsi(arithmetic: BinaryArithmetic): Boolean = arithmetic.evalContext.evalMode == EvalMode.ANSI

  /** 4.2 began to evaluate subexpressions that conjuncts share only once (`spark.sql.subexpressionElimination.filterExec.enabled`). */
  def sharesSubexpressions(conf: SQLConf): Boolean =
    conf.subexpressionEliminationEnabled && conf.subexpressionEliminationFilterExecEnabled
}
