package io.adaptivespark.hint

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
}

object FilterHint {
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

  private def shortName(key: String): String =
    FilterOptions.keys.find(_.name == key).fold(key)(_.shortName)
}
