package io.adaptivespark.join.rule

import org.apache.spark.sql.catalyst.expressions.Expression

/** The two sides of a join's equality, and what a hint says of filtering by the second the rows of the first. */
final private[adaptivespark] case class JoinKeyPair(
    probe: Expression,
    build: Expression,
    hint: Option[Boolean]
) {
  def isHinted: Boolean = hint.contains(true)
}
