package io.adaptivespark.hint

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.trees.TreeNodeTag
import org.apache.spark.sql.types.BooleanType

/** A hint where it is kept: on the conjuncts that stand in its SELECT.
  *
  * A tag on a Filter is lost when the optimizer rebuilds it. One on an expression is not: whatever replaces an expression inherits its tags, so a
  * conjunct keeps its hint when it is pushed through aliases, joins, unions and inlined CTEs, and when it is merged with those of other SELECTs. What
  * the optimizer makes of it anew is left to [[KeepFilterHints]].
  *
  * @param place
  *   where `FILTER_ORDER` puts the conjunct: the first column that it uses, or the number of columns
  */
private[adaptivespark] final case class HintedConjunct(hint: FilterHint, place: Int)

private[adaptivespark] object HintedConjunct {
  private val Tag = TreeNodeTag[HintedConjunct]("io.adaptivespark.filterHint")

  /** Puts a hint on a conjunct, beside those that are there already.
    *
    * Every boolean part of it gets the tag, since rules take conjuncts apart (`BETWEEN`, common factors of an OR). Not columns and literals: these
    * objects are shared with the rest of the plan, or with all plans.
    */
  def put(conjunct: Expression, hint: FilterHint, place: Int): Unit = conjunct.foreach {
    case part if part.children.nonEmpty && part.resolved && part.dataType == BooleanType =>
      val before = part.getTagValue(Tag)
      val merged = before.fold(hint)(b => FilterHint.both(b.hint, hint))
      part.setTagValue(
        Tag,
        HintedConjunct(merged, if (hint.order.isEmpty) before.fold(place)(_.place) else place)
      )
    case _ =>
  }

  /** Hands hints down to the operands of AND, OR and NOT that have none. */
  def spread(condition: Expression): Unit = condition match {
    case _: And | _: Or | _: Not =>
      condition.getTagValue(Tag).foreach(hint =>
        condition.children.filter(c => c.children.nonEmpty && c.getTagValue(Tag).isEmpty).foreach(
          _.setTagValue(Tag, hint)
        )
      )
      condition.children.foreach(spread)
    case _ =>
  }

  /** The hint of a conjunct; of one that a rule has put together, that of its first part that has one. */
  def of(conjunct: Expression): Option[HintedConjunct] = conjunct.getTagValue(Tag).orElse(conjunct match {
    case _: And | _: Or | _: Not => conjunct.children.iterator.map(of).collectFirst { case Some(found) =>
        found
      }
    case _ => None
  })

  /** Whether a conjunct belongs to whatever stands beside it: the optimizer adds null guards, and bare columns can't carry a hint. */
  def isNeutral(conjunct: Expression): Boolean = of(conjunct).isEmpty &&
    (conjunct match {
      case _: IsNotNull | _: Attribute | _: Literal => true
      case _ => false
    })
}
