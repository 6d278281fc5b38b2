package io.adaptivespark.hint

import org.apache.spark.sql.catalyst.expressions.{And, Expression, PredicateHelper}

/** Consecutive conjuncts of a filter that are all adaptive or all Spark's, with their hint. */
final case class FilterPart(condition: Expression, hint: FilterHint)

/** Hints of a filter that Spark planned. */
object FilterHints extends PredicateHelper {

  /** `condition` in parts, in written order.
    *
    * Spark merges the filters of nested SELECTs, and the hint of one must not reach the other. If one is
    * adaptive and the other is not, the filter is cut into parts. Options make no parts: the filter has
    * those of both, and the outer SELECT, whose conjuncts Spark writes last, wins where they differ.
    */
  def parts(condition: Expression, sessionEnabled: Boolean): Seq[FilterPart] = {
    val conjuncts = splitConjunctivePredicates(condition)
    val hinted = conjuncts.map(c => c -> HintedConjunct.of(c).map(_.hint))
    if (hinted.forall(_._2.isEmpty)) Seq(FilterPart(condition, FilterHint.none))
    else runs(hinted, sessionEnabled).map(run =>
      FilterPart(run.map(_._1).reduceLeft(And(_, _)), merge(run.flatMap(_._2)))
    )
  }

  /** True if a conjunct of `condition` is adaptive. */
  def anyEnabled(condition: Expression, sessionEnabled: Boolean): Boolean =
    sessionEnabled || parts(condition, sessionEnabled).exists(_.hint.isEnabled(sessionEnabled))

  private type Hinted = (Expression, Option[FilterHint])

  private def runs(conjuncts: Seq[Hinted], sessionEnabled: Boolean): Seq[Seq[Hinted]] = {
    def side(hinted: Hinted): Option[Boolean] =
      if (HintedConjunct.isNeutral(hinted._1)) None
      else Some(hinted._2.getOrElse(FilterHint.none).isEnabled(sessionEnabled))
    conjuncts.foldLeft(Vector.empty[(Vector[Hinted], Option[Boolean])]) {
      case (done :+ ((run, of)), next) if of.isEmpty || side(next).isEmpty || of == side(next) =>
        done :+ ((run :+ next, of.orElse(side(next))))
      case (done, next) => done :+ ((Vector(next), side(next)))
    }.map(_._1)
  }

  private def merge(hints: Seq[FilterHint]): FilterHint = FilterHint(
    hints.flatMap(_.enabled).lastOption,
    hints.foldLeft(Map.empty[String, String])(_ ++ _.options),
    hints.flatMap(_.order).distinct
  )
}
