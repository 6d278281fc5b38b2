package io.adaptivespark.filter.plan

import org.apache.spark.sql.catalyst.expressions.Attribute

/** Name that Spark gives to a subquery without an alias. It says nothing to a user. */
private[adaptivespark] object MadeUpRelation {
  private val OfSubquery = "__auto_generated_subquery_name"

  def isOf(column: Attribute): Boolean = column.qualifier.lastOption.contains(OfSubquery)
}
