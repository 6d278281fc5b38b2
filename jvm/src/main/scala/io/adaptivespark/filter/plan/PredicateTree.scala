package io.adaptivespark.filter.plan

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.codegen.CodeGenerator
import org.apache.spark.sql.types.{DataType, Decimal, DecimalType}

/** Takes a conjunct apart into AND and OR nodes over predicates, if their order is free and worth choosing.
  *
  * A filter keeps the rows on which its condition is true, and AND and OR are monotone. With every NOT
  * moved to a leaf, a leaf that is null may count as false whatever stands above it.
  */
private[adaptivespark] object PredicateTree {

  /** The tree of a conjunct; one leaf if it stays whole.
    *
    * @param shareSubexpressions
    *   true if this Spark evaluates subexpressions that leaves share once; a conjunct that has such stays
    *   whole
    */
  def of(conjunct: Conjunct, shareSubexpressions: Boolean): Tree = conjunct.members match {
    case Seq(single) if conjunct.deterministic && !conjunct.mayThrow =>
      val tree = split(single)
      val leaves = tree.conjuncts.map(_.expression)
      if (worthOrdering(leaves) && !(shareSubexpressions && SharedSubexpressions.among(leaves))) tree
      else Leaf(conjunct)
    case _ => Leaf(conjunct)
  }

  private def split(predicate: Expression): Tree = predicate match {
    case And(left, right) => branch(isConjunction = true, split(left), split(right))
    case Or(left, right) => branch(isConjunction = false, split(left), split(right))
    case Not(And(left, right)) => split(Or(Not(left), Not(right)))
    case Not(Or(left, right)) => split(And(Not(left), Not(right)))
    case Not(Not(child)) => split(child)
    case other => Leaf(Conjunct(Seq(other)))
  }

  private def branch(isConjunction: Boolean, left: Tree, right: Tree): Tree = {
    def children(tree: Tree) = tree match {
      case Branch(`isConjunction`, below) => below
      case other => Seq(other)
    }
    Branch(isConjunction, children(left) ++ children(right))
  }

  // Evaluating a few comparisons of numbers is faster than choosing among them.
  private def worthOrdering(leaves: Seq[Expression]): Boolean =
    leaves.size > 1 && (leaves.size > MostCheapLeaves || leaves.exists(isCostly))

  /** True if a predicate does more than compare numbers. */
  def isCostly(predicate: Expression): Boolean = predicate.exists {
    case _: BinaryComparison | _: And | _: Or | _: Not | _: IsNull | _: IsNotNull | _: In => false
    case leaf @ (_: Attribute | _: Literal) => !isFixedWidth(leaf.dataType)
    case _ => true
  }

  private def isFixedWidth(dataType: DataType): Boolean = dataType match {
    case decimal: DecimalType => decimal.precision <= Decimal.MAX_LONG_DIGITS
    case other => CodeGenerator.isPrimitiveType(other)
  }

  private val MostCheapLeaves = 4
}
