package io.adaptivespark.hint

import org.apache.spark.sql.catalyst.expressions.{LeafExpression, Unevaluable}
import org.apache.spark.sql.types.{DataType, NullType}

/** The name of a column or a relation, to be looked up in the FROM of its SELECT. */
private[adaptivespark] final case class ColumnName(nameParts: Seq[String]) extends LeafExpression
    with Unevaluable {
  override def nullable: Boolean = true
  override def dataType: DataType = NullType
}
