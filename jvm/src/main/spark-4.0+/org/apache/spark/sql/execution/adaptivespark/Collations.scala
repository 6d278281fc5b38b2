package org.apache.spark.sql.execution.adaptivespark

import org.apache.spark.sql.Column
import org.apache.spark.sql.catalyst.expressions.CollationKey
import org.apache.spark.sql.classic.ExpressionUtils
import org.apache.spark.sql.types.{DataType, StringType}

object Collations {

  /** A column that is equal where values of `column` are: two texts of some collations, which Spark 4.0 introduced, are
    * one value. No function of SQL gives what is the same of them.
    */
  def comparable(column: Column, dataType: DataType): Column = dataType match {
    case text: StringType if text.collationId != StringType.collationId =>
      ExpressionUtils.column(CollationKey(ExpressionUtils.expression(column)))
    case _ => column
  }
}
