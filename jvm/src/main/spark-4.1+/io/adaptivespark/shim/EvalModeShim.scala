package io.adaptivespark.shim

import org.apache.spark.sql.catalyst.expressions.{BinaryArithmetic, EvalMode}

private[adaptivespark] object EvalModeShim {

  /** True if arithmetic throws on overflow. Spark 4.1 wrapped the evaluation mode in an evaluation context. */
  def isAnsi(arithmetic: BinaryArithmetic): Boolean = arithmetic.evalContext.evalMode == EvalMode.ANSI
}
