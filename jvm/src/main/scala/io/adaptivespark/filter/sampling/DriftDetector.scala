package io.adaptivespark.filter.sampling

import java.util.Arrays

import io.adaptivespark.filter.order.Evidence

/** Detects that a task's rows differ from those that its order was learned from.
  *
  * It compares the selectivity of each leaf in a window of samples with the mean of the earlier windows. A
  * window differs if it is further from the mean than both chance and the task's usual scatter explain:
  * neighbouring rows are often alike. Scatter is taken from one window to the next, so that a lasting
  * change adds to it once.
  */
private[adaptivespark] final class DriftDetector(leaves: Int) {
  private val windows, since = new Array[Int](leaves)
  private val last, steps, sum = new Array[Double](leaves)

  /** Adds a window. True if the selectivity of a leaf differs from that since the last start. */
  def differs(window: Evidence): Boolean = {
    val seen = (0 until leaves).filter(leaf => window.monitored(leaf) > 0)
    seen.map(note(_, window)).contains(true)
  }

  /** Compares with the next window and those after it from now on. */
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

  /** Windows before their scatter is trusted. */
  private val FewestWindows = 4

  // In standard deviations.
  private val Chances = 5.0
  private val Scatters = 3.0
}
