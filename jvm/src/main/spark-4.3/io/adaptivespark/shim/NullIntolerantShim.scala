package io.adaptivespark.shim

import org.apache.spark.sql.catalyst.expressions.Expression

private[adaptivespark] object NullIntolerantShim {

  /** Whether a null child makes the expression null. 4.0 turned the trait `NullIntolerant` into a method. */
  def isNullIntolerant(expression: Expression): Boolean = expression.nullIntolerant
}
