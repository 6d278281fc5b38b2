package io.adaptivespark.filter.plan

import org.apache.spark.sql.catalyst.expressions._

import io.adaptivespark.filter.order.PredicateShape
import io.adaptivespark.filter.safety.NeverThrows
import io.adaptivespark.shim.NullIntolerantShim

/** A filter's condition as what may move: conjuncts in written order, cut into segments that nothing leaves.
  *
  * Where a conjunct of the condition is taken apart, `conjuncts` has the leaves of its tree.
  */
final case class ConjunctPlan(conjuncts: IndexedSeq[Conjunct], segments: IndexedSeq[Segment]) {

  /** Whether there is any order to choose. */
  def movable: Boolean = segments.exists(_.movable)

  /** By conjunct, the AND and OR nodes that it stands below, as [[PredicateShape.branches]] has them. No two nodes of a plan share a name. */
  def branches: IndexedSeq[Option[String]] =
    segments.toIndexedSeq.flatMap(segment => segment.shape.branches(segment.from))

  /** The conjuncts as the memory knows them, in the session that asks. */
  def canonical: IndexedSeq[CanonicalForm] = CanonicalForm.of(conjuncts.map(_.expression))
}

object ConjunctPlan {

  /** @param exact
    *   whether a conjunct that may throw is a fence, as one that is not deterministic always is
    * @param shareSubexpressions
    *   whether the Spark that runs this evaluates subexpressions shared by conjuncts once
    * @param generated
    *   whether for whole-stage generated code, see [[WrittenOrder]]
    */
  def of(
      condition: Expression,
      exact: Boolean,
      shareSubexpressions: Boolean,
      generated: Boolean
  ): ConjunctPlan =
    if (exact && showsMore(condition, shareSubexpressions, generated)) whole(condition)
    else cutApart(WrittenOrder.of(condition, generated), exact, shareSubexpressions)

  /** Whether Spark shows errors of what it would not have to evaluate: outside generated code of what follows a null conjunct; within it of what is shared,
    * which a conjunct evaluates before anything else.
    */
  private def showsMore(condition: Expression, shareSubexpressions: Boolean, generated: Boolean): Boolean =
    if (!generated) !NeverThrows(condition)
    else shareSubexpressions &&
    SharedSubexpressions.bySpark(WrittenOrder.of(condition, generated)).exists(!NeverThrows(_))

  private def whole(condition: Expression): ConjunctPlan =
    ConjunctPlan(Vector(Conjunct(Seq(condition))), Vector(Segment(0, 1, PredicateShape.flat(1))))

  private def cutApart(
      conjuncts: Seq[Expression],
      exact: Boolean,
      shareSubexpressions: Boolean
  ): ConjunctPlan = {
    val written = withoutImpliedGuards(conjuncts).map(e => Conjunct(Seq(e)))
    val runs = cut(written, exact)
    val grouped =
      if (!shareSubexpressions) runs
      else if (throwersShare(written)) runs.flatten.map(Seq(_))
      else runs.map(groupSharers)
    val trees = grouped.map(_.map(PredicateTree.of(_, shareSubexpressions)))
    val leaves = trees.map(_.flatMap(_.conjuncts))
    val ends = leaves.scanLeft(0)(_ + _.size)
    ConjunctPlan(
      leaves.flatten.toIndexedSeq,
      trees.indices.map { i =>
        val hinted = HintedOrder.of(grouped(i).map(_.expression).toIndexedSeq)
        Segment(ends(i), ends(i + 1), Tree.shape(trees(i)), hinted)
      }
    )
  }

  /** Drops each `x IS NOT NULL` that another conjunct implies, since that conjunct is not true of a null `x`.
    *
    * Every predicate is evaluated on nullable input, so guards are not needed for its correctness. Where a conjunct may throw, all guards stay: they
    * may be what keeps it from throwing.
    */
  private def withoutImpliedGuards(conjuncts: Seq[Expression]): Seq[Expression] =
    if (!conjuncts.forall(NeverThrows(_))) conjuncts
    else {
      val others = conjuncts.filterNot {
        case IsNotNull(child) => child.deterministic
        case _ => false
      }
      val rejected = ExpressionSet(others.flatMap(nullRejected))
      conjuncts.filterNot {
        case IsNotNull(child) => child.deterministic && rejected.contains(child)
        case _ => false
      }
    }

  /** The subexpressions that are not null wherever `predicate` is true: those reached through null-intolerant expressions alone. */
  private def nullRejected(predicate: Expression): Seq[Expression] =
    if (!predicate.deterministic) Nil
    else if (NullIntolerantShim.isNullIntolerant(predicate))
      predicate.children.flatMap(child => child +: nullRejected(child))
    else Nil

  /** Cuts before and after each fence, so that a fence is a segment of its own. */
  private def cut(conjuncts: Seq[Conjunct], exact: Boolean): Seq[Seq[Conjunct]] = {
    val fenced = conjuncts.map(c => (c, !c.deterministic || (exact && c.mayThrow)))
    fenced.foldLeft(Vector.empty[(Vector[Conjunct], Boolean)]) {
      case (done :+ ((run, false)), (conjunct, false)) => done :+ ((run :+ conjunct, false))
      case (done, (conjunct, fence)) => done :+ ((Vector(conjunct), fence))
    }.map(_._1)
  }

  /** Joins conjuncts that share a subexpression worth sharing and never throw: one that may throw is not to be evaluated early. */
  private def groupSharers(segment: Seq[Conjunct]): Seq[Conjunct] =
    segment.foldLeft(Vector.empty[Conjunct]) { (done, next) =>
      done.indexWhere(before => !before.mayThrow && !next.mayThrow && sharesWith(before, next)) match {
        case -1 => done :+ next
        case at => done.updated(at, Conjunct(done(at).members ++ next.members))
      }
    }

  /** Whether a conjunct that may throw has a subexpression that Spark would evaluate once and we would evaluate twice. Nothing moves then: sharing it
    * would evaluate it early, not sharing it would be slower than Spark.
    */
  private def throwersShare(conjuncts: Seq[Conjunct]): Boolean = {
    val counted = conjuncts.flatMap(c =>
      SharedSubexpressions.candidates(c.expression).map(e => (e.canonicalized, c.mayThrow))
    ).groupMap(_._1)(_._2)
    counted.values.exists(uses => uses.size > 1 && uses.contains(true))
  }

  private def sharesWith(a: Conjunct, b: Conjunct): Boolean = {
    val ofA = ExpressionSet(a.members.flatMap(SharedSubexpressions.candidates))
    b.members.flatMap(SharedSubexpressions.candidates).exists(ofA.contains)
  }
}
