package io.adaptivespark.conf

import org.apache.spark.sql.internal.SQLConf

/** The session's confs of dynamic filters.
  *
  * @param enabled
  *   true if joins filter without a hint
  * @param maxRanges
  *   ranges of keys that a scan is given at most
  * @param maxBuildBytes
  *   bytes of the largest build side whose keys are read
  * @param minProbeBytes
  *   bytes of the smallest scan that is filtered
  */
final case class DynamicFilterSettings(
    enabled: Boolean,
    maxRanges: Int,
    maxBuildBytes: Long,
    minProbeBytes: Long,
    verbose: Boolean,
    queryTag: String,
    runId: String
)

object DynamicFilterSettings {
  def in(conf: SQLConf): DynamicFilterSettings = DynamicFilterSettings(
    AdaptiveSparkConf.DynamicEnabled.in(conf),
    AdaptiveSparkConf.MaxRanges.in(conf),
    AdaptiveSparkConf.MaxBuildSize.in(conf),
    AdaptiveSparkConf.MinProbeSize.in(conf),
    AdaptiveSparkConf.DynamicVerbose.in(conf),
    AdaptiveSparkConf.QueryTag.in(conf),
    AdaptiveSparkConf.RunId.in(conf)
  )
}
