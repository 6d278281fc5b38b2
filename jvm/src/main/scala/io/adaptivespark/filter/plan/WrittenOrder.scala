package io.adaptivespark.filter.plan

import org.apache.spark.sql.catalyst.expressions._

import io.adaptivespark.shim.NullIntolerantShim

/** The order in which Spark's own filter evaluates the conjuncts of a condition: what "written order" means here. */
private[adaptivespark] object WrittenOrder extends PredicateHelper {

  /** @param generated
    *   whether within whole-stage generated code. There Spark evaluates `x IS NOT NULL` right before the first other conjunct that uses the column `x`,
    *   wherever it is written, and last where none does; and it asks so too for a column of which only a field is said not to be null. Elsewhere it evaluates
    *   conjuncts as they are written.
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
