package io.adaptivespark.filter.plan

import org.apache.spark.sql.catalyst.expressions._

import io.adaptivespark.shim.NullIntolerantShim

/** The order in which Spark's own filter evaluates conjuncts. "Written order" means this one. */
private[adaptivespark] object WrittenOrder extends PredicateHelper {

  /** Conjuncts in written order.
    *
    * Generated code evaluates `x IS NOT NULL` right before the first other conjunct that uses the column
    * `x`, wherever the guard is written, and last if none does. It also checks a column if only one of the
    * column's fields is guarded. Elsewhere Spark evaluates conjuncts as they are written.
    *
    * @param generated
    *   true for whole-stage generated code
    */
  def of(condition: Expression, generated: Boolean): Seq[Expression] = {
    val written = splitConjunctivePredicates(condition)
    if (!generated) written
    else {
      val (guards, others) = written.partition(isGuard)
      val ofFields =
        AttributeSet(guards.flatMap(_.references)).toSeq.map(IsNotNull(_)).filterNot(guards.contains)
      val (left, ordered) =
        others.foldLeft((guards ++ ofFields, Vector.empty[Expression])) { case ((waiting, done), conjunct) =>
          val (needed, later) = waiting.partition {
            case IsNotNull(column: Attribute) => conjunct.references.contains(column)
            case _ => false
          }
          (later, done ++ needed :+ conjunct)
        }
      ordered ++ left.filterNot(ofFields.contains)
    }
  }

  private def isGuard(conjunct: Expression): Boolean = conjunct match {
    case IsNotNull(child) => child.find(!NullIntolerantShim.isNullIntolerant(_)).isEmpty
    case _ => false
  }
}
