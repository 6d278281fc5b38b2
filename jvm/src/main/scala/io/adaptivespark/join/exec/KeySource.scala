package io.adaptivespark.join.exec

/** The build keys that a filter takes. A value that is a key in any of these places is needed.
  *
  * @param signature
  *   the name by which later queries know the share of rows that this filter kept
  */
final case class KeySource(from: Seq[BuildKey])(val signature: String)
