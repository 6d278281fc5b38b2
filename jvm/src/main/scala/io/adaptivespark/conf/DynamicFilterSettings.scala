package io.adaptivespark.conf

import org.apache.spark.sql.internal.SQLConf

/** What a dynamic filter may cost.
  *
  * @param enabled
  *   whether joins filter without a hint too
  * @param maxRanges
  *   ranges of keys that a scan is given
  * @param maxBuildBytes
  *   of a build side whose keys are read
  * @param minProbeBytes
  *   of the files of a scan that is filtered
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
