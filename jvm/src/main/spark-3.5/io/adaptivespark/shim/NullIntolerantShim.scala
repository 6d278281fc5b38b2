package io.adaptivespark.shim

import org.apache.spark.sql.catalyst.expressions.{Expression, NullIntolerant}

private[adaptivespark] object NullIntolerantShim {

  /** True if a null child makes the expression null. Until Spark 3.5 a trait says so. */
  def isNullIntolerant(expression: Expression): Boolean = expression.isInstanceOf[NullIntolerant]
}
