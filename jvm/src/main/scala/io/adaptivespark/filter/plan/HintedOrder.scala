package io.adaptivespark.filter.plan

import org.apache.spark.sql.catalyst.expressions.{Expression, IsNotNull, PredicateHelper}

import io.adaptivespark.hint.HintedConjunct

private[adaptivespark] object HintedOrder extends PredicateHelper {

  /** Positions in the order that `FILTER_ORDER` asks for; none if no hint asks for one.
    *
    * A null guard goes with the first conjunct that uses its column. The caller keeps conjuncts that may
    * throw behind those written before them.
    */
  def of(conjuncts: IndexedSeq[Expression]): Option[IndexedSeq[Int]] = {
    val places = conjuncts.map(place)
    if (places.exists(_.isDefined)) Some {
      val all = conjuncts.zip(places).map {
        case (_, Some(place)) => place
        case (guard: IsNotNull, None) => conjuncts.zip(places).collect {
            case (other, Some(place)) if guard.references.subsetOf(other.references) => place
          }.reduceOption(_ min _).getOrElse(Int.MaxValue)
        case _ => Int.MaxValue
      }
      conjuncts.indices.sortBy(all)
    }
    else None
  }

  private def place(conjunct: Expression): Option[Int] =
    splitConjunctivePredicates(
      conjunct
    ).flatMap(HintedConjunct.of(_)).filter(_.hint.order.nonEmpty).map(_.place).reduceOption(_ min _)
}
