package io.adaptivespark.filter.sampling

import java.util.Arrays

import io.adaptivespark.filter.order.Evidence

/** Tells when a task's rows have become others than those that its order was learned from.
  *
  * It looks at windows of samples, at the share of them that each leaf passes. That has changed where a window's share is further from the mean of those before
  * than chance explains, and than windows scatter in this task anyway: neighbouring rows are often alike. The scatter is taken from one window to the next,
  * so that a change that lasts adds to it only once.
  */
private[adaptivespark] final class DriftDetector(leaves: Int) {
  private val windows, since = new Array[Int](leaves)
  private val last, steps, sum = new Array[Double](leaves)

  /** Notes a window; whether a leaf passes another share of it than of those since the last start. */
  def differs(window: Evidence): Boolean = {
    val seen = (0 until leaves).filter(leaf => window.monitored(leaf) > 0)
    seen.map(note(_, window)).contains(true)
  }

  /** From the next window on, compares with that and those after it. */
  def startAnew(): Unit = {
    Arrays.fill(since, 0)
    Arrays.fill(sum, 0.0)
  }

  private def note(leaf: Int, window: Evidence): Boolean = {
    val rows = window.monitored(leaf)
    val share = window.passed(leaf).toDouble / rows
    val changed = windows(leaf) >= DriftDetector.FewestWindows && since(leaf) > 0 && {
      val mean = sum(leaf) / since(leaf)
      val chance = mean * (1 - mean) / rows + 1.0 / (rows * rows)
      val scatter = steps(leaf) / (2 * (windows(leaf) - 1))
      math.abs(share - mean) > math.max(
        DriftDetector.Chances * math.sqrt(chance),
        DriftDetector.Scatters * math.sqrt(scatter)
      )
    }
    if (windows(leaf) > 0) steps(leaf) += (share - last(leaf)) * (share - last(leaf))
    windows(leaf) += 1
    since(leaf) += 1
    sum(leaf) += share
    last(leaf) = share
    changed
  }
}

private object DriftDetector {

  /** Windows before anything is told of their scatter. */
  private val FewestWindows = 4

  // Standard deviations.
  private val Chances = 5.0
  private val Scatters = 3.0
}
