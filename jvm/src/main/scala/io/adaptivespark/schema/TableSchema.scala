package io.adaptivespark.schema

import org.apache.spark.sql.Row
import org.apache.spark.sql.types.StructType

/** The columns of a table function.
  *
  * @param arguments
  *   as a user writes them, such as `schema[, table]`; empty if there are none
  * @param rowIs
  *   a row in words, in Markdown
  */
final case class TableSchema(function: String, arguments: String, rowIs: String, columns: Seq[Column]) {

  val struct: StructType =
    StructType.fromDDL(columns.map(column => s"${column.name} ${column.dataType}").mkString(", "))

  private val names = columns.map(_.name)

  /** A row from the values of its columns, in any order; None is null.
    *
    * @throws IllegalArgumentException
    *   if a column has no value, or several, or a value has no column
    */
  def row(values: (String, Any)*): Row = {
    val byName = values.toMap
    val wrong = names.diff(values.map(_._1)) ++ values.map(_._1).diff(names)
    if (wrong.nonEmpty)
      throw new IllegalArgumentException(
        s"$function: each column has one value, but not ${wrong.mkString(", ")}."
      )
    Row.fromSeq(names.map(byName(_) match {
      case value: Option[_] => value.getOrElse(null)
      case value => value
    }))
  }
}
