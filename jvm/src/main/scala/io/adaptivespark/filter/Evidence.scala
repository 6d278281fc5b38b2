package io.adaptivespark.filter

import scala.collection.mutable

/** What was seen of leaves, by their number: rows evaluated, rows that passed, time in ns; and how often which of them passed together. */
final class Evidence(
    val monitored: Array[Long],
    val passed: Array[Long],
    val nanos: Array[Long],
    val outcomes: Outcomes
) extends Serializable {
  def this(monitored: Array[Long], passed: Array[Long], nanos: Array[Long]) =
    this(monitored, passed, nanos, new Outcomes)
  def this(size: Int) = this(new Array[Long](size), new Array[Long](size), new Array[Long](size))

  def size: Int = monitored.length

  /** Sampled rows, each of which is evaluated by at least the leaves that never throw. */
  def samples: Long = monitored.max

  /** Adds `other`, whose first leaf is our leaf `from`. */
  def add(other: Evidence, from: Int = 0): Unit = {
    (0 until other.size).foreach { i =>
      monitored(from + i) += other.monitored(i)
      passed(from + i) += other.passed(i)
      nanos(from + i) += other.nanos(i)
    }
    if (size <= Outcomes.MostLeaves) outcomes.add(other.outcomes, from)
  }

  /** The evidence about other leaves: of each, that of our leaf `origins(i)`, none where that is -1. */
  def select(origins: IndexedSeq[Int]): Evidence = {
    def of(counts: Array[Long]) = origins.map(from => if (from < 0) 0L else counts(from)).toArray
    val joint = size <= Outcomes.MostLeaves && origins.size <= Outcomes.MostLeaves && !origins.contains(-1)
    new Evidence(of(monitored), of(passed), of(nanos), if (joint) outcomes.select(origins) else new Outcomes)
  }

  /** Keeps `share` of everything, rounded down: old evidence fades, and is gone in the end. */
  def fade(share: Double): Unit = {
    Seq(monitored, passed, nanos).foreach(of => of.indices.foreach(i => of(i) = (of(i) * share).toLong))
    outcomes.fade(share)
  }

  def clear(): Unit = fade(0)

  def copy(): Evidence = select(0 until size)
}

/** Sampled rows, counted by their outcome: which leaves evaluated the row, and which of them it passed. */
final class Outcomes extends Serializable {
  private var counts = mutable.LongMap.empty[Long]

  def isEmpty: Boolean = counts.isEmpty

  /** Counts `rows` rows. `evaluated` and `passed` have a bit for each leaf, the lowest for the first. */
  def count(evaluated: Long, passed: Long, rows: Long = 1): Unit = {
    val outcome = evaluated << Outcomes.MostLeaves | passed
    if (counts.size < Outcomes.Most || counts.contains(outcome))
      counts.update(outcome, counts.getOrElse(outcome, 0L) + rows)
  }

  /** Calls `each` with every outcome: evaluated, passed, rows. */
  def foreach(each: (Long, Long, Long) => Unit): Unit = counts.foreachEntry { (outcome, rows) =>
    each(outcome >>> Outcomes.MostLeaves, outcome & Outcomes.Passed, rows)
  }

  def add(other: Outcomes, from: Int): Unit =
    other.foreach((evaluated, passed, rows) => count(evaluated << from, passed << from, rows))

  /** Forgets the rarest where there are many, for sums that are kept. */
  def bound(): Unit =
    if (counts.size > 2 * Outcomes.Kept)
      counts = mutable.LongMap.from(counts.toArray.sortBy(-_._2).take(Outcomes.Kept))

  def select(origins: IndexedSeq[Int]): Outcomes = {
    val selected = new Outcomes
    def of(bits: Long) = origins.indices.foldLeft(0L)((set, i) => set | (bits >>> origins(i) & 1L) << i)
    foreach((evaluated, passed, rows) =>
      if (of(evaluated) != 0) selected.count(of(evaluated), of(passed), rows)
    )
    selected
  }

  def fade(share: Double): Unit = counts = counts.flatMap { case (outcome, rows) =>
    Option.when((rows * share).toLong > 0)(outcome -> (rows * share).toLong)
  }
}

object Outcomes {

  /** Leaves whose outcomes fit into a number; of filters with more, only single leaves are known. */
  val MostLeaves = 32

  private val Passed = (1L << MostLeaves) - 1
  private val Most = 4096
  private val Kept = 256
}
