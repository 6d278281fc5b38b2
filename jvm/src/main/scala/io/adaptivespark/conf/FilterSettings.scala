package io.adaptivespark.conf

import org.apache.spark.sql.internal.SQLConf

/** The session's confs of a filter, read when the filter is planned. */
final case class FilterSettings(
    collectRate: Rate,
    calculateRate: Rate,
    momentum: Double,
    policy: String,
    learnedOrder: Boolean,
    exact: Boolean,
    verbose: Boolean,
    queryTag: String,
    runId: String
) {

  /** Sampled rows in an epoch. */
  def epochSamples: Long = calculateRate.rows.fold(FilterSettings.EpochSamples) { rows =>
    math.max(1L, rows.toLong / collectRate.rows.getOrElse(FilterSettings.UsualCollectRate))
  }
}

object FilterSettings {
  private val EpochSamples = 1000L
  private val UsualCollectRate = 1000

  /** Settings of a filter with a hint.
    *
    * @param options
    *   the hint's values, by key
    */
  def of(conf: SQLConf, options: Map[String, String]): FilterSettings =
    if (options.isEmpty) of(conf)
    else {
      val own = conf.clone()
      options.foreach { case (key, value) => own.setConfString(key, value) }
      of(own)
    }

  def of(conf: SQLConf): FilterSettings = FilterSettings(
    AdaptiveSparkConf.CollectRate.in(conf),
    AdaptiveSparkConf.CalculateRate.in(conf),
    AdaptiveSparkConf.Momentum.in(conf),
    AdaptiveSparkConf.Policy.in(conf),
    AdaptiveSparkConf.InitialOrder.in(conf) == "learned",
    AdaptiveSparkConf.Errors.in(conf) == "exact",
    AdaptiveSparkConf.Verbose.in(conf),
    AdaptiveSparkConf.QueryTag.in(conf),
    AdaptiveSparkConf.RunId.in(conf)
  )
}
