package org.apache.spark.sql.execution.adaptivespark

import org.apache.spark.sql.Column
import org.apache.spark.sql.types.DataType

object Collations {

  /** A column that is equal where values of `column` are. Until Spark 3.5 there are no collations: itself. */
  def comparable(column: Column, dataType: DataType): Column = column
}
