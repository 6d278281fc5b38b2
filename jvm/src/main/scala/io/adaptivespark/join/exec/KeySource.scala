package io.adaptivespark.join.exec

/** Where the keys of a filter come from: a value that is a key in any of these places is needed.
  *
  * @param signature
  *   by which what this filter achieves is known to later queries
  */
final case class KeySource(from: Seq[BuildKey])(val signature: String)
