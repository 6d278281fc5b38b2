package io.adaptivespark.join.rule

/** A filter that a join can't use, and the scan if one was found.
  *
  * @param learned
  *   its signature, where it could be used but did not help before
  */
final private[adaptivespark] case class RefusedFilter(
    keys: JoinKeyPair,
    scan: String,
    why: String,
    learned: Option[String] = None
)
