package io.adaptivespark.filter.plan

import org.apache.spark.sql.catalyst.expressions._

/** The subexpressions that Spark would evaluate once for several predicates. */
private[adaptivespark] object SharedSubexpressions {

  /** What is worth evaluating once: neither a column nor a constant nor a predicate itself. */
  def candidates(predicate: Expression): Seq[Expression] = predicate.collect {
    case e if e.children.nonEmpty && e.deterministic && !e.foldable && !e.isInstanceOf[Predicate] => e
  }

  /** What Spark evaluates once for `conjuncts`, predicates among it. */
  def bySpark(conjuncts: Seq[Expression]): Seq[Expression] = {
    val equivalent = new EquivalentExpressions
    conjuncts.foreach(equivalent.addExprTree(_))
    equivalent.getCommonSubexpressions
  }

  /** Whether two of `predicates` have one in common. */
  def among(predicates: Seq[Expression]): Boolean = {
    val each = predicates.flatMap(p => ExpressionSet(candidates(p)).toSeq.map(_.canonicalized))
    each.distinct.size < each.size
  }
}
