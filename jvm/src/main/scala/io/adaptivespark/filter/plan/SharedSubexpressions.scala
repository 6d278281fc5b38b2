package io.adaptivespark.filter.plan

import org.apache.spark.sql.catalyst.expressions._

/** Subexpressions that Spark evaluates once for several predicates. */
private[adaptivespark] object SharedSubexpressions {

  /** Parts worth evaluating once: neither columns, nor constants, nor predicates. */
  def candidates(predicate: Expression): Seq[Expression] = predicate.collect {
    case e if e.children.nonEmpty && e.deterministic && !e.foldable && !e.isInstanceOf[Predicate] => e
  }

  /** Every part that Spark evaluates once for `conjuncts`, predicates included. */
  def bySpark(conjuncts: Seq[Expression]): Seq[Expression] = {
    val equivalent = new EquivalentExpressions
    conjuncts.foreach(equivalent.addExprTree(_))
    equivalent.getCommonSubexpressions
  }

  /** True if two of `predicates` share a part. */
  def among(predicates: Seq[Expression]): Boolean = {
    val each = predicates.flatMap(p => ExpressionSet(candidates(p)).toSeq.map(_.canonicalized))
    each.distinct.size < each.size
  }
}
