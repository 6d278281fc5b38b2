package io.adaptivespark.hint

/** Hints of one SELECT for its filters.
  *
  * @param enabled
  *   adaptive or not; none leaves it to the session
  * @param options
  *   values of session keys for these filters, by the key's full name
  * @param order
  *   columns whose conjuncts come first before anything is measured, as written
  */
final case class FilterHint(
    enabled: Option[Boolean] = None,
    options: Map[String, String] = Map.empty,
    order: Seq[String] = Nil
) {

  /** True if the filters are adaptive, given the session's setting. */
  def isEnabled(sessionEnabled: Boolean): Boolean = enabled.getOrElse(sessionEnabled)
}

object FilterHint {
  val On = "ADAPTIVE_FILTER"
  val Off = "NO_ADAPTIVE_FILTER"
  val Order = "FILTER_ORDER"
  val names: Set[String] = Set(On, Off, Order)

  val none: FilterHint = FilterHint()

  /** Two hints of one SELECT as one.
    *
    * @throws IllegalArgumentException
    *   if they contradict each other
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
