package io.adaptivespark.scan

import org.apache.spark.sql.catalyst.expressions._

/** The number and the file that a `MERGE` gives each row of its target, to find rows with two matches and files with
  * one: `_row_id_` and `_file_name_` are Delta Lake's, `__row_id` is Spark's own.
  */
private[adaptivespark] object MergeMark {
  def isMark(column: NamedExpression): Boolean = column match {
    case Alias(_: MonotonicallyIncreasingID, "_row_id_" | "__row_id") => true
    case Alias(_: InputFileName, "_file_name_") => true
    case _ => false
  }
}
