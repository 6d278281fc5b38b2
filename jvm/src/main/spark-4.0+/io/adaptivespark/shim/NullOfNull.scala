package io.adaptivespark.shim

import org.apache.spark.sql.catalyst.expressions.Expression

/** An expression that a null child makes null. Spark 4.0 turned the trait `NullIntolerant` into a method. */
private[adaptivespark] trait NullOfNull extends Expression {
  override def nullIntolerant: Boolean = true
}
