package io.adaptivespark.hint

import org.apache.spark.sql.catalyst.analysis.Resolver
import org.apache.spark.sql.catalyst.expressions.{EqualTo, Expression, PredicateHelper}
import org.apache.spark.sql.catalyst.plans.logical.{Join, SubqueryAlias}
import org.apache.spark.sql.catalyst.trees.TreeNodeTag
import org.apache.spark.sql.execution.SparkPlan
import org.slf4j.LoggerFactory

/** `DYNAMIC_FILTER(t)` and `NO_DYNAMIC_FILTER(t)`: joins of a SELECT filter the relation `t` of its FROM,
  * or do not, whatever the session and the sizes say.
  *
  * The hint is a tag on each equality that `t` has a side of. A join's condition keeps its expressions
  * through optimization, and the planned join leads back to them.
  */
object DynamicFilterHint extends PredicateHelper {
  val On = "DYNAMIC_FILTER"
  val Off = "NO_DYNAMIC_FILTER"
  val names: Set[String] = Set(On, Off)

  /** Hints for the relations on both sides of an equality: on, off or none. */
  final private case class Sides(left: Option[Boolean], right: Option[Boolean])

  private val tag = TreeNodeTag[Sides]("io.adaptivespark.dynamicFilterHint")
  private val user = LoggerFactory.getLogger("io.adaptivespark.hint.DynamicFilterHint")

  /** True if a hint asks for a filter on a side of `join`. */
  def asksFor(join: SparkPlan): Boolean =
    equalities(join).flatMap(_.getTagValue(tag)).exists(said =>
      said.left.contains(true) || said.right.contains(true)
    )

  /** The hint for filtering rows by `probe`, which `join` compares with `build`: on, off or none. */
  def of(join: SparkPlan, probe: Expression, build: Expression): Option[Boolean] =
    equalities(join).flatMap { equality =>
      def has(left: Expression, right: Expression) = equality.left.semanticEquals(left) &&
        equality.right.semanticEquals(right)
      equality.getTagValue(tag).flatMap { said =>
        if (has(probe, build)) said.left else if (has(build, probe)) said.right else None
      }
    }.headOption

  private def equalities(join: SparkPlan): Seq[EqualTo] = join.logicalLink.toSeq.flatMap {
    case join: Join => equalities(join.condition.toSeq)
    case _ => Nil
  }

  private def equalities(conditions: Seq[Expression]): Seq[EqualTo] =
    conditions.flatMap(splitConjunctivePredicates).collect { case equality: EqualTo => equality }

  /** Puts the hints of one SELECT on its equalities.
    *
    * @param hints
    *   each with the relations that it names; none names all
    *
    * @throws IllegalArgumentException
    *   if a relation does not exist, or two hints contradict each other
    */
  private[adaptivespark] def put(
      hints: Seq[(String, Seq[Seq[String]])],
      scope: SelectScope,
      resolver: Resolver
  ): Unit = {
    val said = hints.flatMap { case (hint, names) =>
      val named =
        if (names.isEmpty) scope.relations else names.flatMap(relationsOf(hint, _, scope.relations, resolver))
      named.map(_ -> hint)
    }.distinct
    said.groupBy(_._1).foreach {
      case (relation, Seq((_, hint))) => put(relation, hint, equalities(scope.conditions))
      case (relation, _) => throw new IllegalArgumentException(
          s"$On and $Off contradict each other over ${relation.alias} in the hints of one SELECT. Keep one."
        )
    }
  }

  private def put(relation: SubqueryAlias, hint: String, equalities: Seq[EqualTo]): Unit = {
    def belongs(side: Expression) = side.references.nonEmpty && side.references.subsetOf(relation.outputSet)
    val its = equalities.filter(equality => belongs(equality.left) != belongs(equality.right))
    if (its.isEmpty) user.warn(
      s"$hint has no effect on ${relation.alias}: no ON or WHERE of its SELECT says that a column of it equals one of another relation."
    )
    its.foreach { equality =>
      val before = equality.getTagValue(tag).getOrElse(Sides(None, None))
      val on = Some(hint == On)
      equality.setTagValue(
        tag,
        if (belongs(equality.left)) before.copy(left = on) else before.copy(right = on)
      )
    }
  }

  private def relationsOf(
      hint: String,
      name: Seq[String],
      relations: Seq[SubqueryAlias],
      resolver: Resolver
  ): Seq[SubqueryAlias] = {
    val found = relations.filter { relation =>
      val full = relation.identifier.qualifier :+ relation.alias
      full.size >= name.size && full.takeRight(name.size).zip(name).forall { case (a, b) => resolver(a, b) }
    }
    if (found.isEmpty) HintError.raise(
      hint,
      name.mkString("."),
      s"is not a relation of this SELECT's FROM. Relations: ${relations.map(_.alias).mkString(", ")}."
    )
    found
  }
}
