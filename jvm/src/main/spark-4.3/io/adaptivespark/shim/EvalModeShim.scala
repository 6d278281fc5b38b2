package io.adaptivespark.shim

import org.apache.spark.sql.catalyst.expressions.{BinaryArithmetic, EvalMode}

private[adaptivespark] object EvalModeShim {

  /** Whether arithmetic throws on overflow. 4.1 wrapped its evaluation mode in an evaluation context. */
  def isAnsi(arithmetic: BinaryArithmetic): Boolean = arithmetic.evalContext.evalMode == EvalMode.ANSI
}
