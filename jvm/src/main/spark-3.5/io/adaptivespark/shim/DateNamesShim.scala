package io.adaptivespark.shim

import org.apache.spark.sql.catalyst.expressions.Expression

private[adaptivespark] object DateNamesShim {

  /** True of the name of a date's day or month: of nothing, since Spark 4.0 introduced them. */
  def isName(expression: Expression): Boolean = false
}
