package io.adaptivespark.filter.order

/** Samples of leaves.
  *
  * @param monitored
  *   by leaf, sampled rows that it evaluated
  * @param passed
  *   by leaf, those of them for which it was true
  * @param nanos
  *   by leaf, the time that it took for them, in ns
  * @param outcomes
  *   joint outcomes of the leaves
  */
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

  /** Sampled rows. Each was evaluated by at least the leaves that never throw. */
  def samples: Long = monitored.max

  /** Bytes on the heap, as of now. */
  def bytes: Long = Evidence.OfItself + Evidence.OfLeaf * size + outcomes.bytes

  /** Adds `other`, whose leaf 0 is the leaf `from` here. */
  def add(other: Evidence, from: Int = 0): Unit = {
    (0 until other.size).foreach { i =>
      monitored(from + i) += other.monitored(i)
      passed(from + i) += other.passed(i)
      nanos(from + i) += other.nanos(i)
    }
    if (size <= Outcomes.MostLeaves) outcomes.add(other.outcomes, from)
  }

  /** Evidence for other leaves.
    *
    * @param origins
    *   by new leaf: the leaf here whose evidence it takes, or -1 for none
    */
  def select(origins: IndexedSeq[Int]): Evidence = {
    def of(counts: Array[Long]) = origins.map(from => if (from < 0) 0L else counts(from)).toArray
    val joint = size <= Outcomes.MostLeaves && origins.size <= Outcomes.MostLeaves && !origins.contains(-1)
    new Evidence(of(monitored), of(passed), of(nanos), if (joint) outcomes.select(origins) else new Outcomes)
  }

  /** Multiplies every count by `share`, rounded down, so that old evidence is gone in the end. */
  def fade(share: Double): Unit = {
    Seq(monitored, passed, nanos).foreach(of => of.indices.foreach(i => of(i) = (of(i) * share).toLong))
    outcomes.fade(share)
  }

  def clear(): Unit = fade(0)

  def copy(): Evidence = select(0 until size)
}

private object Evidence {
  // its objects, without elements
  private val OfItself = 256L
  // three counts
  private val OfLeaf = 24L
}
