package io.adaptivespark.join.rule

import org.apache.spark.sql.catalyst.expressions.Expression

/** The two sides of a join's equality.
  *
  * @param hint
  *   true or false where a hint asks for a filter of the rows of `probe` by the keys of `build`, or forbids it
  */
final private[adaptivespark] case class JoinKeyPair(
    probe: Expression,
    build: Expression,
    hint: Option[Boolean]
) {
  def isHinted: Boolean = hint.contains(true)
}
