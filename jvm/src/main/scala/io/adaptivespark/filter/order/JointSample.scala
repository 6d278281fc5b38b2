package io.adaptivespark.filter.order

/** Sampled rows by joint outcome: what an order costs on them, and the greedy order.
  *
  * A node whose order is settled costs each row a fixed sum. Its cost for a set of rows is the sum over the
  * set, so no order within it is tried again for each place that the node may take. Nodes are settled
  * twice: from the leaves up, each on all rows; then from the root down, each on the rows that come to it.
  *
  * With `n` outcomes and `k` children of a node, [[arrange]] takes at most `1 + MostPasses` passes of 3 n Σ
  * k² additions: a few milliseconds for 32 leaves and 4,096 outcomes.
  *
  * @param mayThrow
  *   by leaf, see [[OrderPolicy]]
  */
private[adaptivespark] final class JointSample(
    evidence: Evidence,
    shape: PredicateShape,
    mayThrow: IndexedSeq[Boolean]
) {
  import JointSample._

  // Leaves and nodes by one number, as the ranks of a LearnedOrder.
  private def slot(child: Int): Int = if (child >= 0) child else shape.leaves + ~child
  private val children = shape.nodes.map(_.children.map(slot).toArray).toArray

  // Nodes, children before their parents.
  private val upwards: Array[Int] = {
    def below(at: Int): Seq[Int] = shape.nodes(at).children.filter(_ < 0).flatMap(child => below(~child)) :+
      at
    below(0).toArray
  }

  // By leaf, in ns a row. A leaf that was never timed counts as the dearest, and none is free.
  private val costs: Array[Double] = {
    val known = OrderPolicy.costs(evidence)
    val dearest = known.filterNot(_.isNaN).reduceOption(_ max _).getOrElse(1.0)
    known.map(cost => if (cost.isNaN) dearest else math.max(cost, dearest / 1e6)).toArray
  }

  // By outcome: the sampled rows that had it, and a bit for each leaf that they passed.
  private val (weights, passed) = {
    val (rows, bits) = (Array.newBuilder[Long], Array.newBuilder[Long])
    evidence.outcomes.foreach { (_, passed, count) =>
      rows += count
      bits += passed
    }
    (rows.result(), bits.result())
  }
  private val everyRow = Array.range(0, weights.length)

  // By slot and outcome: the rows of the outcome if the child decides its parent on them, else 0.
  private val decided = new Array[Array[Long]](shape.leaves + shape.nodes.size)
  upwards.foreach(at => children(at).foreach(slot => decided(slot) = decidedBy(slot, at)))

  // By node and outcome: what the node costs the rows of the outcome, in ns, by its latest order.
  private val spent = Array.fill(shape.nodes.size)(new Array[Double](weights.length))

  private def decidedBy(slot: Int, parent: Int): Array[Long] = {
    val of = new Array[Long](weights.length)
    var row = 0
    while (row < of.length) {
      if (truth(slot, row) != shape.nodes(parent).isConjunction) of(row) = weights(row)
      row += 1
    }
    of
  }

  private def truth(slot: Int, row: Int): Boolean =
    if (slot < shape.leaves) (passed(row) >>> slot & 1) == 1
    else {
      val (below, all) = (children(slot - shape.leaves), shape.nodes(slot - shape.leaves).isConjunction)
      var i = 0
      while (i < below.length && decided(below(i))(row) == 0) i += 1
      (i == below.length) == all
    }

  /** The greedy order of each node, and what these orders cost all rows, in ns. */
  def arrange(): (IndexedSeq[IndexedSeq[Int]], Double) = {
    val orders = shape.nodes.map(node => node.children.indices: IndexedSeq[Int]).toArray
    upwards.init.foreach { at =>
      orders(at) = new Greedy(at, everyRow, everyRow.length).order
      spend(at, orders(at))
    }
    // Each pass judges nodes by their cost in the previous pass, which is near to what they will cost.
    val passes = Iterator.fill(if (shape.isFlat) 1 else MostPasses) {
      settle(orders, 0, everyRow, everyRow.length)
      val settled = orders.toVector
      (settled, cost(settled))
    }
    passes.minBy(_._2)
  }

  /** Cost of `orders`, by node, for all rows, in ns. */
  def cost(orders: IndexedSeq[IndexedSeq[Int]]): Double = {
    upwards.foreach(at => spend(at, orders(at)))
    spent(0).sum
  }

  /** Settles the order of a node and of those below it on the first `count` of `rows`, which come to it.
    * Keeps the order if they are fewer than `Fewest`.
    */
  private def settle(orders: Array[IndexedSeq[Int]], at: Int, rows: Array[Int], count: Int): Unit =
    if (weight(rows, count) >= Fewest) {
      orders(at) = new Greedy(at, rows, count).order
      val left = java.util.Arrays.copyOf(rows, count)
      orders(at).foldLeft(count) { (size, position) =>
        val slot = children(at)(position)
        if (slot >= shape.leaves) settle(orders, slot - shape.leaves, left, size)
        undecided(slot, left, size)
      }
    }

  private def spend(at: Int, order: IndexedSeq[Int]): Unit = {
    val slots = order.map(children(at)(_)).toArray
    var row = 0
    while (row < weights.length) {
      var (sum, i) = (0.0, 0)
      while (i < slots.length) {
        sum += costOf(slots(i), row)
        i = if (decided(slots(i))(row) == 0) i + 1 else slots.length
      }
      spent(at)(row) = sum
      row += 1
    }
  }

  private def costOf(slot: Int, row: Int): Double =
    if (slot < shape.leaves) costs(slot) * weights(row).toDouble else spent(slot - shape.leaves)(row)

  private def costOf(slot: Int, rows: Array[Int], count: Int): Double =
    if (slot < shape.leaves) costs(slot) * weight(rows, count)
    else {
      val each = spent(slot - shape.leaves)
      var (sum, i) = (0.0, 0)
      while (i < count) {
        sum += each(rows(i))
        i += 1
      }
      sum
    }

  private def weight(rows: Array[Int], count: Int): Double = sum(weights, rows, count)

  private def sum(of: Array[Long], rows: Array[Int], count: Int): Double = {
    var (sum, i) = (0L, 0)
    while (i < count) {
      sum += of(rows(i))
      i += 1
    }
    sum.toDouble
  }

  /** Keeps those of the first `count` of `rows` that the child leaves undecided.
    *
    * @return
    *   their number
    */
  private def undecided(slot: Int, rows: Array[Int], count: Int): Int = {
    val deciding = decided(slot)
    var (left, i) = (0, 0)
    while (i < count) {
      val row = rows(i)
      rows(left) = row
      if (deciding(row) == 0) left += 1
      i += 1
    }
    left
  }

  /** A-Greedy for one node, on the first `count` of `rows`. */
  private final class Greedy(at: Int, rows: Array[Int], count: Int) {
    private val slots = children(at)
    private val throws = slots.map(slot => slot < shape.leaves && mayThrow(slot))

    // Positions without a place, in written order, and the rows that those with a place leave undecided.
    private val waiting = Array.range(0, slots.length)
    private var waitingSize = waiting.length
    private val left = java.util.Arrays.copyOf(rows, count)
    private var leftSize = count
    private val mayWait = throws.contains(true)
    private val together = new Together(if (mayWait) count else 0)
    private val done = Vector.newBuilder[Int]

    val order: Vector[Int] = {
      place(slots.length - 1)
      done.result()
    }

    /** Gives a place to every position up to `until`. */
    private def place(until: Int): Unit =
      while (waitingSize > 0 && waiting(0) <= until) {
        val next = best(until)
        if (isReady(next)) take(next) else place(next)
      }

    /** True unless the child may throw and others written before it have no place yet. */
    private def isReady(position: Int): Boolean = !throws(position) || position == waiting(0)

    private def take(position: Int): Unit = {
      val from = java.util.Arrays.binarySearch(waiting, 0, waitingSize, position)
      System.arraycopy(waiting, from + 1, waiting, from, waitingSize - from - 1)
      waitingSize -= 1
      leftSize = undecided(slots(position), left, leftSize)
      done += position
    }

    /** Position of the lowest rank among those up to `until`. A child that has to wait counts together with
      * those it waits for.
      */
    private def best(until: Int): Int = {
      // Too few rows of the sample come this far: the rows that came to the node judge instead.
      val few = weight(left, leftSize) < Fewest
      val (judges, size) = if (few) (rows, count) else (left, leftSize)
      var (found, least) = (waiting(0), Double.PositiveInfinity)
      var i = 0
      if (mayWait) together.startWith(judges, size)
      while (i < waitingSize && waiting(i) <= until) {
        val position = waiting(i)
        val slot = slots(position)
        if (mayWait) together.add(slot)
        val rank =
          if (isReady(position)) rankOf(costOf(slot, judges, size), sum(decided(slot), judges, size))
          else if (position == until) Double.PositiveInfinity // it waits for all the others
          else together.rank
        if (rank < least) {
          found = position
          least = rank
        }
        i += 1
      }
      found
    }
  }

  /** Children evaluated one after the other, as if they were one. */
  private final class Together(mostRows: Int) {
    private val left = new Array[Int](mostRows)
    private var size = 0
    private var all = 0.0
    private var cost = 0.0

    def startWith(rows: Array[Int], count: Int): Unit = {
      System.arraycopy(rows, 0, left, 0, count)
      size = count
      all = weight(rows, count)
      cost = 0
    }

    def add(slot: Int): Unit = {
      cost += costOf(slot, left, size)
      size = undecided(slot, left, size)
    }

    def rank: Double = rankOf(cost, all - weight(left, size))
  }

  /** Nanoseconds for each row decided. Half a row is added, so that a child that decides none has a finite
    * rank.
    */
  private def rankOf(cost: Double, decided: Double): Double = cost / (decided + 0.5)
}

private object JointSample {
  private val Fewest = 4.0
  private val MostPasses = 3
}
