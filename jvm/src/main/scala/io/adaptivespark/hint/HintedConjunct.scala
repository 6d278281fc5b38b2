package io.adaptivespark.hint

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.trees.TreeNodeTag
import org.apache.spark.sql.types.BooleanType

/** A hint on the conjuncts of its SELECT.
  *
  * The optimizer rebuilds Filters, and a tag on them is lost. A replaced expression passes its tags on. So
  * a conjunct keeps its hint when it is pushed through aliases, joins, unions and inlined CTEs, and when it
  * is merged with conjuncts of other SELECTs. [[KeepFilterHints]] handles the conjuncts that the optimizer
  * makes of it.
  *
  * @param place
  *   place of the conjunct by `FILTER_ORDER`: that of the first listed column that it uses, or the number
  *   of columns
  */
private[adaptivespark] final case class HintedConjunct(hint: FilterHint, place: Int)

private[adaptivespark] object HintedConjunct {
  private val Tag = TreeNodeTag[HintedConjunct]("io.adaptivespark.filterHint")

  /** Adds a hint to a conjunct and to each boolean part of it, since rules take conjuncts apart (`BETWEEN`,
    * common factors of an OR).
    *
    * Columns and literals get no tag: these objects are shared with the rest of the plan, or with all
    * plans.
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

  /** Passes hints down to operands of AND, OR and NOT that have none. */
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

  /** Hint of a conjunct, or that of its first part that has one. */
  def of(conjunct: Expression): Option[HintedConjunct] = conjunct.getTagValue(Tag).orElse(conjunct match {
    case _: And | _: Or | _: Not => conjunct.children.iterator.map(of).collectFirst { case Some(found) =>
        found
      }
    case _ => None
  })

  /** True if a conjunct goes with its neighbours: the optimizer adds null guards, and bare columns cannot
    * carry a hint.
    */
  def isNeutral(conjunct: Expression): Boolean = of(conjunct).isEmpty &&
    (conjunct match {
      case _: IsNotNull | _: Attribute | _: Literal => true
      case _ => false
    })
}
