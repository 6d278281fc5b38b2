package io.adaptivespark.filter.order

import scala.collection.mutable

/** Sampled rows counted by joint outcome: which leaves evaluated the row, and which of them it passed. */
final class Outcomes extends Serializable {
  private var counts = mutable.LongMap.empty[Long]

  def isEmpty: Boolean = counts.isEmpty

  /** Bytes on the heap, as of now. */
  def bytes: Long = Outcomes.OfItself + Outcomes.OfOutcome * counts.size

  /** Counts `rows` rows. Bit `i` of `evaluated` and `passed` stands for leaf `i`. */
  def count(evaluated: Long, passed: Long, rows: Long = 1): Unit = {
    val outcome = evaluated << Outcomes.MostLeaves | passed
    if (counts.size < Outcomes.Most || counts.contains(outcome))
      counts.update(outcome, counts.getOrElse(outcome, 0L) + rows)
  }

  /** Calls `each` with every outcome: leaves that evaluated it, leaves it passed, rows. */
  def foreach(each: (Long, Long, Long) => Unit): Unit = counts.foreach { case (outcome, rows) =>
    each(outcome >>> Outcomes.MostLeaves, outcome & Outcomes.Passed, rows)
  }

  def add(other: Outcomes, from: Int): Unit =
    other.foreach((evaluated, passed, rows) => count(evaluated << from, passed << from, rows))

  /** Keeps the most frequent outcomes. For sums that outlive a query. */
  def bound(): Unit =
    if (counts.size > 2 * Outcomes.Kept)
      counts = mutable.LongMap(counts.toArray.sortBy(-_._2).take(Outcomes.Kept): _*)

  def select(origins: IndexedSeq[Int]): Outcomes = {
    val selected = new Outcomes
    def of(bits: Long) = origins.indices.foldLeft(0L)((set, i) => set | (bits >>> origins(i) & 1L) << i)
    foreach((evaluated, passed, rows) =>
      if (of(evaluated) != 0) selected.count(of(evaluated), of(passed), rows)
    )
    selected
  }

  def fade(share: Double): Unit = counts = counts.flatMap { case (outcome, rows) =>
    if ((rows * share).toLong > 0) Some(outcome -> (rows * share).toLong) else None
  }
}

object Outcomes {

  /** Leaves that two sets of fit into a BIGINT. Larger filters are ordered by single leaves. */
  val MostLeaves = 32

  private val Passed = (1L << MostLeaves) - 1
  // Outcomes that are counted. JointSample takes a few milliseconds for so many.
  private val Most = 4096
  private val Kept = 256

  // its objects, with the first places of the table
  private val OfItself = 512L
  // a place in a table that is half full, and a count
  private val OfOutcome = 48L

  /** Bytes on the heap of bounded outcomes of so many leaves: each leaf passed the row,
    * did not, or did not evaluate it.
    */
  def mostBytes(leaves: Int): Long =
    OfItself + (if (leaves > MostLeaves) 0 else OfOutcome * math.pow(3, leaves).min(2.0 * Kept).toLong)

  /** The same of outcomes that are not bounded. */
  def mostUnbounded(leaves: Int): Long =
    OfItself + (if (leaves > MostLeaves) 0 else OfOutcome * math.pow(3, leaves).min(Most.toDouble).toLong)
}
