package io.adaptivespark.join.rule

import io.adaptivespark.history.Verdict

/** A filter that a join can't use.
  *
  * @param scan
  *   the name of the scan; empty where none was found
  * @param signature
  *   known where the filter was left out because of what it kept before
  */
final private[adaptivespark] case class RefusedFilter(
    keys: JoinKeyPair,
    scan: String,
    verdict: Verdict,
    signature: Option[String] = None
)
