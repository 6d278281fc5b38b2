package io.adaptivespark.filter.plan

import org.apache.spark.sql.catalyst.expressions._

import io.adaptivespark.filter.safety.NeverThrows

/** A part of a filter's condition that is evaluated as a whole and moves as a whole.
  *
  * @param members
  *   usually one predicate; several if they share a subexpression that Spark evaluates once. In written
  *   order.
  */
final case class Conjunct(members: Seq[Expression]) {
  def deterministic: Boolean = members.forall(_.deterministic)
  def expression: Expression = members.reduceLeft(And(_, _))
  lazy val mayThrow: Boolean = !members.forall(NeverThrows(_))
}
