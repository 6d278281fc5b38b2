package io.adaptivespark.join

/** Whether a filter is worth what it costs. */
private[join] object WorthFiltering {

  /** @param probeBytes
    *   of the files that the filtered scan would read
    * @param buildBytes
    *   of the files under the build side; 0 where it is there already
    * @param waits
    *   whether the scan would otherwise run while the build side does
    */
  final case class Facts(probeBytes: Long, buildBytes: Long, waits: Boolean, reduced: Boolean)

  /** Why not, as a sentence's end; none where it is. */
  def refusal(facts: Facts, settings: DynamicFilterSettings): Option[String] =
    if (!facts.reduced) Some("nothing filters the build side, so that it holds the keys of its whole table")
    else if (facts.probeBytes < settings.minProbeBytes)
      Some(s"the scan has ${facts.probeBytes} bytes of files, less than spark.sql.dynamicFilter.minProbeSize")
    else if (facts.waits && facts.buildBytes > facts.probeBytes)
      Some(
        s"the scan would wait for a build side that reads more than itself, ${facts.buildBytes} bytes against ${facts.probeBytes}"
      )
    else None
}
