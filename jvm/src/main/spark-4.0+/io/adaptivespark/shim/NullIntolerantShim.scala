package io.adaptivespark.shim

import org.apache.spark.sql.catalyst.expressions.Expression

private[adaptivespark] object NullIntolerantShim {

  /** True if a null child makes the expression null. Spark 4.0 turned the trait `NullIntolerant` into a
    * method.
    */
  def isNullIntolerant(expression: Expression): Boolean = expression.nullIntolerant
}
