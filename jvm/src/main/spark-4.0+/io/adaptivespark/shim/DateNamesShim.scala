package io.adaptivespark.shim

import org.apache.spark.sql.catalyst.expressions.{DayName, Expression, MonthName}

private[adaptivespark] object DateNamesShim {

  /** True of the name of a date's day or month. Spark 4.0 introduced them. */
  def isName(expression: Expression): Boolean = expression match {
    case _: MonthName | _: DayName => true
    case _ => false
  }
}
