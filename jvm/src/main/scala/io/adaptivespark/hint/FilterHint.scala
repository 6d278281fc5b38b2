package io.adaptivespark.hint

import org.apache.spark.sql.catalyst.expressions.{Expression, IsNotNull, PredicateHelper}
import org.apache.spark.sql.internal.SQLConf

import io.adaptivespark.filter.FilterSettings

/** What the hints of one SELECT say of its filters.
  *
  * @param enabled
  *   whether they are adaptive, whatever the session says
  * @param options
  *   values of session keys that differ in them, by the key's full name
  * @param order
  *   columns whose conjuncts come first before anything is measured, as they are written
  */
final case class FilterHint(
    enabled: Option[Boolean] = None,
    options: Map[String, String] = Map.empty,
    order: Seq[String] = Nil
) {

  /** Whether the filters are adaptive, in a session where they are or not. */
  def isEnabled(sessionEnabled: Boolean): Boolean = enabled.getOrElse(sessionEnabled)

  /** The settings of these filters in a session of `conf`. */
  def settings(conf: SQLConf): FilterSettings =
    if (options.isEmpty) FilterSettings.of(conf)
    else {
      val own = conf.clone()
      options.foreach { case (key, value) => own.setConfString(key, value) }
      FilterSettings.of(own)
    }
}

object FilterHint extends PredicateHelper {
  val On = "ADAPTIVE_FILTER"
  val Off = "NO_ADAPTIVE_FILTER"
  val Order = "FILTER_ORDER"
  val names: Set[String] = Set(On, Off, Order)

  val none: FilterHint = FilterHint()

  /** Both hints, of one SELECT.
    *
    * @throws IllegalArgumentException
    *   where they contradict each other
    */
  def both(a: FilterHint, b: FilterHint): FilterHint = {
    def refuse(what: String) =
      throw new IllegalArgumentException(s"$what in the hints of one SELECT. Keep one.")
    if (a.enabled.exists(on => b.enabled.exists(_ != on))) refuse(s"$On and $Off contradict each other")
    if (a.order.nonEmpty && b.order.nonEmpty && a.order != b.order) refuse(s"$Order is there twice")
    val both = FilterHint(
      a.enabled.orElse(b.enabled),
      a.options ++ b.options,
      if (a.order.isEmpty) b.order else a.order
    )
    a.options.find { case (key, value) => b.options.get(key).exists(_ != value) }.foreach {
      case (key, value) =>
        refuse(s"${shortName(key)} is both $value and ${b.options(key)}")
    }
    if (both.enabled.contains(false) && both.order.nonEmpty) refuse(s"$Off leaves $Order nothing to do")
    both
  }

  /** The order that `FILTER_ORDER` asks for, as positions in `conjuncts`, which are in written order; nothing where no hint asks for any.
    *
    * A null guard goes with the first conjunct that uses its column. What may throw is for the caller to keep in its place.
    */
  def initialOrder(conjuncts: IndexedSeq[Expression]): Option[IndexedSeq[Int]] = {
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

  private def shortName(key: String): String =
    FilterOptions.keys.find(_.name == key).fold(key)(_.shortName)
}
