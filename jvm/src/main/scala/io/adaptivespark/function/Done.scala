package io.adaptivespark.function

import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.types.DataTypeUtils.toAttributes
import org.apache.spark.sql.types.StructType

/** The answer of a table function that writes.
  *
  * Such a function gives a command, and so does [[LastModified]], which lists files: Spark executes the commands within
  * a query once, when the query runs, and none when it is only explained, described or made a view.
  */
private[function] object Done {
  private val schema = StructType.fromDDL("done BOOLEAN")

  /** One column, `done`; another one in each plan, so that a query may call a function twice. */
  def output: Seq[Attribute] = toAttributes(schema)
}
