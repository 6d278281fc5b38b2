package io.adaptivespark.shim

import org.apache.spark.sql.catalyst.expressions.{BinaryArithmetic, EvalMode}

private[adaptivespark] object EvalModeShim {

  /** True if arithmetic throws on overflow. Before Spark 4.1 the evaluation mode is an argument of each operator that
    * has one, and as a member it is protected.
    */
  def isAnsi(arithmetic: BinaryArithmetic): Boolean = arithmetic.productIterator.contains(EvalMode.ANSI)
}
