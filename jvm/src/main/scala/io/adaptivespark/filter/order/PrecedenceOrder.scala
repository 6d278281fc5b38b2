package io.adaptivespark.filter.order

/** Sorts by rank where some positions must stay behind every position before them.
  *
  * The constraints form an in-tree, so Horn's algorithm finds the best order (Horn, SIAM J. Appl. Math. 23,
  * 1972). If a conjunct ranks lower than the one that it must follow, both move as one module of cost a +
  * pass(a) × cost b and selectivity pass(a) × pass(b).
  */
object PrecedenceOrder {

  private final case class Module(positions: Vector[Int], cost: Double, passing: Double) {
    val rank: Double = cost / (1 - passing)

    def followedBy(next: Module): Module =
      Module(positions ++ next.positions, cost + passing * next.cost, passing * next.passing)
  }

  /** Positions in their best order.
    *
    * @param ranks
    *   by position, cost / (1 − selectivity); NaN, not ranked yet, counts as the highest
    * @param passing
    *   by position, selectivity in (0, 1)
    * @param mayThrow
    *   by position, true if it must stay behind every position before it
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
