package io.adaptivespark.hint

private[adaptivespark] object HintError {
  private val LongestShown = 100

  /** Refuses an argument of a hint.
    *
    * @param fault
    *   what is wrong with `argument` and the remedy, as the rest of a sentence that begins with it
    */
  def raise(hint: String, argument: String, fault: String): Nothing =
    throw new IllegalArgumentException(s"$hint: ${shown(argument)} $fault")

  def shown(text: String): String =
    if (text.length <= LongestShown) '"' + text + '"' else '"' + text.take(LongestShown) + "…\""
}
