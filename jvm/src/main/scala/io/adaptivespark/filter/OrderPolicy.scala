package io.adaptivespark.filter

/** What was seen of the conjuncts of a segment, by their position in it: rows evaluated, rows that passed, time in ns. */
final class Evidence(val monitored: Array[Long], val passed: Array[Long], val nanos: Array[Long])
    extends Serializable {
  def this(size: Int) = this(new Array[Long](size), new Array[Long](size), new Array[Long](size))

  def size: Int = monitored.length

  /** Sampled rows, each of which is evaluated by at least the conjuncts that never throw. */
  def samples: Long = monitored.max

  /** Adds `other`, whose first position is our position `from`. */
  def add(other: Evidence, from: Int = 0): Unit = (0 until other.size).foreach { i =>
    monitored(from + i) += other.monitored(i)
    passed(from + i) += other.passed(i)
    nanos(from + i) += other.nanos(i)
  }

  def clear(): Unit = Seq(monitored, passed, nanos).foreach(java.util.Arrays.fill(_, 0L))
}

/** The order in force: positions in the segment in the order of evaluation, and the rank of each position (NaN: not ranked yet). */
final case class LearnedOrder(order: IndexedSeq[Int], ranks: IndexedSeq[Double], epoch: Int) {
  val isWritten: Boolean = order == order.indices
}

object LearnedOrder {
  def written(size: Int): LearnedOrder = LearnedOrder(0 until size, Vector.fill(size)(Double.NaN), epoch = 0)
}

/** Samples in, order out. Pure. */
trait OrderPolicy extends Serializable {

  /** @param mayThrow
    *   by position: such a conjunct stays after all positions before its own
    */
  def next(previous: LearnedOrder, evidence: Evidence, mayThrow: IndexedSeq[Boolean]): LearnedOrder
}

/** The paper's policy (arXiv 1905.01349, §2.1).
  *
  * rank = normalised cost / (1 - selectivity), ascending; the cost is divided by the largest of the epoch, the selectivity is the share of the monitored
  * rows that passed. A rank keeps `momentum` of what it was before. An order stands until another is expected to cost less by more than `Margin`: near
  * ties would swap at every epoch, and each swap makes HotSpot compile the filter again.
  */
final case class RankPolicy(momentum: Double) extends OrderPolicy {

  override def next(
      previous: LearnedOrder,
      evidence: Evidence,
      mayThrow: IndexedSeq[Boolean]
  ): LearnedOrder = {
    val costs = (0 until evidence.size).map(i =>
      evidence.nanos(i).toDouble / math.max(evidence.monitored(i), 1L)
    )
    val scale = math.max(costs.max, Double.MinPositiveValue)
    val passing = (0 until evidence.size).map(RankPolicy.passing(evidence, _))
    val ranks = (0 until evidence.size).map { i =>
      val before = previous.ranks(i)
      if (evidence.monitored(i) == 0) before
      else {
        val now = costs(i) / scale / (1 - passing(i))
        if (before.isNaN) now else (1 - momentum) * now + momentum * before
      }
    }
    val best = PrecedenceOrder.sort(ranks, passing, mayThrow)
    val pays = RankPolicy.cost(best, ranks, passing) < (1 - RankPolicy.Margin) *
      RankPolicy.cost(previous.order, ranks, passing)
    LearnedOrder(if (pays || previous.epoch == 0) best else previous.order, ranks, previous.epoch + 1)
  }
}

object RankPolicy {

  /** Share of the expected cost that a new order has to save. */
  private val Margin = 0.1

  /** Expected cost of a row, in units of the normalised cost, for independent conjuncts; one that is not ranked yet is free. */
  private def cost(order: IndexedSeq[Int], ranks: IndexedSeq[Double], passing: IndexedSeq[Double]): Double =
    order.foldLeft((0.0, 1.0)) { case ((sum, left), i) =>
      val own = if (ranks(i).isNaN) 0.0 else ranks(i) * (1 - passing(i))
      (sum + left * own, left * passing(i))
    }._1

  /** Share of rows that passed, with half a row added on either side: a small sample never says "all" or "none". */
  private def passing(evidence: Evidence, i: Int): Double =
    (evidence.passed(i) + 0.5) / (evidence.monitored(i) + 1.0)
}

/** Ascending ranks where some positions must stay behind all positions before them.
  *
  * The constraints form an in-tree, so Horn's algorithm is optimal: where a conjunct ranks lower than the one it must follow, both move as one module
  * (cost a + pass a × cost b, pass a × pass b).
  */
object PrecedenceOrder {

  private final case class Module(positions: Vector[Int], cost: Double, passing: Double) {
    val rank: Double = cost / (1 - passing)

    def followedBy(next: Module): Module =
      Module(positions ++ next.positions, cost + passing * next.cost, passing * next.passing)
  }

  /** @param ranks
    *   cost / (1 - passing) by position; NaN, not ranked yet, counts as the highest
    * @param passing
    *   share of rows that pass, in (0, 1)
    */
  def sort(
      ranks: IndexedSeq[Double],
      passing: IndexedSeq[Double],
      mayThrow: IndexedSeq[Boolean]
  ): IndexedSeq[Int] = {
    def module(i: Int): Module = {
      val rank = if (ranks(i).isNaN) Double.PositiveInfinity else ranks(i)
      Module(Vector(i), rank * (1 - passing(i)), passing(i))
    }
    val modules = ranks.indices.foldLeft(Vector.empty[Module]) { (done, i) =>
      if (mayThrow(i)) append(done.sortBy(_.rank), module(i)) else done :+ module(i)
    }
    modules.sortBy(_.rank).flatMap(_.positions)
  }

  @scala.annotation.tailrec
  private def append(chain: Vector[Module], last: Module): Vector[Module] = chain.lastOption match {
    case Some(before) if before.rank > last.rank => append(chain.init, before.followedBy(last))
    case _ => chain :+ last
  }
}
