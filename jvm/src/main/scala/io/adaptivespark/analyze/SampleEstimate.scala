package io.adaptivespark.analyze

import org.apache.spark.sql.catalyst.plans.logical.{ColumnStat, Histogram, HistogramBin}

/** Estimates for a table from a sample. Pure.
  *
  * @param fraction
  *   chance of each row to be in the sample
  */
private[adaptivespark] final case class SampleEstimate(fraction: Double) {

  /** Rows of the table, if the sample has `seen`. */
  def scaled(seen: BigInt): BigInt = (BigDecimal(seen) / fraction).setScale(
    0,
    BigDecimal.RoundingMode.HALF_UP
  ).toBigInt

  /** Distinct values by the first jackknife estimator of Haas and Stokes (1998), D = d / (1 − (1 − q) f₁ /
    * n).
    *
    * It is exact for unique values and for values that are all frequent, and too low for a mix: estimate
    * each kind by itself.
    *
    * @param values
    *   rows of the sample that hold a value, n
    * @param distinct
    *   distinct values among them, d
    * @param single
    *   values that stand in one row only, f₁
    */
  def distinct(values: BigInt, distinct: BigInt, single: BigInt): BigInt =
    if (values <= 0) distinct
    else {
      val unseen = 1 - (1 - fraction) * (single.toDouble / values.toDouble)
      BigDecimal(distinct.toDouble / unseen).setScale(
        0,
        BigDecimal.RoundingMode.HALF_UP
      ).toBigInt.min(scaled(values))
    }

  /** Statistics of a column, from those of the sample and the estimated distinct values, of which there are no more
    * than `rows` that have one.
    */
  def column(seen: ColumnStat, estimated: BigInt, rows: BigInt): ColumnStat = {
    val nulls = seen.nullCount.map(scaled)
    val distinct =
      estimated.min((rows - nulls.getOrElse(BigInt(0))).max(seen.distinctCount.getOrElse(BigInt(0))))
    // bins of one frequent value each have no more of them
    val frequent = seen.histogram.fold(0)(_.bins.filter(isOneValue).map(_.lo).distinct.length)
    val more = seen.distinctCount.map(_.toDouble - frequent).filter(_ > 0)
      .fold(1.0)(rest => math.max(1.0, (distinct.toDouble - frequent) / rest))
    seen.copy(
      distinctCount = Some(distinct),
      nullCount = nulls,
      histogram = seen.histogram.map { each =>
        val bins = each.bins.map(bin =>
          if (isOneValue(bin)) bin else HistogramBin(bin.lo, bin.hi, math.round(bin.ndv * more))
        )
        Histogram(each.height / fraction, bins)
      }
    )
  }

  private def isOneValue(bin: HistogramBin): Boolean = bin.lo == bin.hi
}
