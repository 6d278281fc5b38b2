package io.adaptivespark.filter.plan

import org.apache.spark.sql.catalyst.expressions._

import io.adaptivespark.filter.order.PredicateShape
import io.adaptivespark.filter.safety.NeverThrows
import io.adaptivespark.shim.NullIntolerantShim

/** A filter's condition as parts that may move.
  *
  * @param conjuncts
  *   in written order; a conjunct of the condition that is taken apart stands here as its leaves
  * @param segments
  *   ranges of `conjuncts` that no conjunct leaves
  */
final case class ConjunctPlan(conjuncts: IndexedSeq[Conjunct], segments: IndexedSeq[Segment]) {

  /** True if there is an order to choose. */
  def movable: Boolean = segments.exists(_.movable)

  /** By conjunct, the AND and OR nodes that it stands below, as [[PredicateShape.branches]] has them.
    *
    * No two nodes of a plan share a name.
    */
  def branches: IndexedSeq[Option[String]] =
    segments.toIndexedSeq.flatMap(segment => segment.shape.branches(segment.from))

  /** Canonical forms of the conjuncts, redacted as the calling session redacts plans. */
  def canonical: IndexedSeq[CanonicalForm] = CanonicalForm.of(conjuncts.map(_.expression))
}

object ConjunctPlan {

  /** Takes a condition apart.
    *
    * @param exact
    *   true if a conjunct that may throw is a fence, as one that is not deterministic always is
    * @param shareSubexpressions
    *   true if this Spark evaluates subexpressions that conjuncts share once
    * @param generated
    *   true for whole-stage generated code, see [[WrittenOrder]]
    */
  def of(
      condition: Expression,
      exact: Boolean,
      shareSubexpressions: Boolean,
      generated: Boolean
  ): ConjunctPlan =
    if (exact && showsMore(condition, shareSubexpressions, generated)) whole(condition)
    else cutApart(WrittenOrder.of(condition, generated), exact, shareSubexpressions)

  /** True if Spark's filter shows errors of parts that it would not have to evaluate. Outside generated
    * code it evaluates what follows a null conjunct. Within generated code it evaluates shared
    * subexpressions before any conjunct.
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

  /** Drops each `x IS NOT NULL` that another conjunct implies by not being true for a null `x`.
    *
    * Predicates are evaluated on nullable input, so no predicate needs a guard to be right. All guards stay
    * if a conjunct may throw: a guard may be what keeps it from throwing.
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

  /** Subexpressions that are not null on any row that passes: those below null-intolerant expressions
    * alone.
    */
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

  /** Joins conjuncts that share a subexpression. Those that may throw stay apart: sharing evaluates early.
    */
  private def groupSharers(segment: Seq[Conjunct]): Seq[Conjunct] =
    segment.foldLeft(Vector.empty[Conjunct]) { (done, next) =>
      done.indexWhere(before => !before.mayThrow && !next.mayThrow && sharesWith(before, next)) match {
        case -1 => done :+ next
        case at => done.updated(at, Conjunct(done(at).members ++ next.members))
      }
    }

  /** True if a conjunct that may throw shares a subexpression. Nothing moves then: shared, the
    * subexpression would be evaluated early; evaluated twice, it would be slower than Spark.
    */
  private def throwersShare(conjuncts: Seq[Conjunct]): Boolean = {
    val counted = conjuncts.flatMap(c =>
      SharedSubexpressions.candidates(c.expression).map(e => (e.canonicalized, c.mayThrow))
    ).groupBy(_._1)
    counted.values.exists(uses => uses.size > 1 && uses.exists(_._2))
  }

  private def sharesWith(a: Conjunct, b: Conjunct): Boolean = {
    val ofA = ExpressionSet(a.members.flatMap(SharedSubexpressions.candidates))
    b.members.flatMap(SharedSubexpressions.candidates).exists(ofA.contains)
  }
}
