package io.adaptivespark.hint

import java.util.Locale

import io.adaptivespark.conf.{AdaptiveSparkConf, ConfKey}

/** Options of `ADAPTIVE_FILTER('momentum=0.5', …)`: the session's keys of a filter, by their short names
  * and within their bounds.
  */
private[adaptivespark] object FilterOptions {
  val keys: Seq[ConfKey[_]] = AdaptiveSparkConf.ofFilter

  /** The key's full name and the value's text, from `momentum=0.5`.
    *
    * @throws IllegalArgumentException
    *   with what is wrong and what would be right
    */
  def parse(option: String): (String, String) = {
    val (name, text) = option.split("=", 2) match {
      case Array(name, text) => (name.trim.toLowerCase(Locale.ROOT), text.trim)
      case _ =>
        HintError.raise(FilterHint.On, option, s"is not an option. Write it as 'momentum=0.5'. $known")
    }
    val key = keys.find(_.shortName == name)
      .getOrElse(HintError.raise(FilterHint.On, option, s"names no option. $known"))
    if (!key.allows(text))
      HintError.raise(
        FilterHint.On,
        option,
        s"sets $name to a value that is not ${key.valueType.allowed}. " +
          s"Leave it out for the session's value; the default is ${key.default}."
      )
    (key.name, text)
  }

  def known: String = s"Options: ${keys.map(_.shortName).mkString(", ")}."
}
