package io.adaptivespark.filter.plan

import org.apache.spark.sql.catalyst.expressions.{Expression, IsNotNull, PredicateHelper}

import io.adaptivespark.hint.HintedConjunct

private[adaptivespark] object HintedOrder extends PredicateHelper {

  /** The order that `FILTER_ORDER` asks for, as positions in `conjuncts`, which are in written order; nothing where no hint asks for any.
    *
    * A null guard goes with the first conjunct that uses its column. What may throw is for the caller to keep in its place.
    */
  def of(conjuncts: IndexedSeq[Expression]): Option[IndexedSeq[Int]] = {
    val places = conjuncts.map(place)
    Option.when(places.exists(_.isDefined)) {
      val all = conjuncts.zip(places).map {
        case (_, Some(place)) => place
        case (guard: IsNotNull, None) => conjuncts.zip(places).collect {
            case (other, Some(place)) if guard.references.subsetOf(other.references) => place
          }.minOption.getOrElse(Int.MaxValue)
        case _ => Int.MaxValue
      }
      conjuncts.indices.sortBy(all)
    }
  }

  private def place(conjunct: Expression): Option[Int] =
    splitConjunctivePredicates(
      conjunct
    ).flatMap(HintedConjunct.of(_)).filter(_.hint.order.nonEmpty).map(_.place).minOption
}
