package io.adaptivespark.filter

/** Orders by joint outcomes, so that correlated predicates are seen: of those left, the one goes next that decides most of the rows that the ones before
  * leave undecided, for its cost. For AND nodes that is A-Greedy (Babu et al., SIGMOD 2004), within four times the best order.
  *
  * Where there are more than a few nodes or leaves, it is [[RankPolicy]].
  *
  * @param momentum
  *   share of an epoch's evidence that the next keeps
  * @param margin
  *   share of the expected cost that another order has to save before it replaces the one in force
  */
final case class ConditionalPolicy(momentum: Double, margin: Double) extends OrderPolicy {
  import ConditionalPolicy._

  override def carriedOver: Double = momentum

  override def next(
      previous: LearnedOrder,
      evidence: Evidence,
      shape: Shape,
      mayThrow: IndexedSeq[Boolean]
  ): LearnedOrder = {
    // For the ranks that are shown; and where joint outcomes are not known, for the order too.
    val ranked = RankPolicy(momentum, margin).next(previous, evidence, shape, mayThrow)
    if (evidence.outcomes.isEmpty || shape.nodes.size > MostNodes || shape.leaves > MostLeaves) ranked
    else {
      val sample = new JointSample(evidence, shape, mayThrow)
      val best = sample.arrange()
      val pays = sample.cost(best) < (1 - margin) * sample.cost(previous.orders)
      ranked.copy(orders = if (pays) best else previous.orders)
    }
  }
}

private object ConditionalPolicy {
  // Nodes within nodes are tried in every order that the rows before them leave: beyond these it takes longer than it saves.
  private val MostNodes = 4
  private val MostLeaves = 16
}

/** Sampled rows as what orders cost on them. */
private final class JointSample(evidence: Evidence, shape: Shape, mayThrow: IndexedSeq[Boolean]) {
  import JointSample.Rows

  private val costs = {
    val known = OrderPolicy.costs(evidence)
    val dearest = known.filterNot(_.isNaN).maxOption.getOrElse(1.0)
    known.map(cost => if (cost.isNaN) dearest else math.max(cost, dearest / 1e6))
  }
  private val everyRow: Rows = {
    val rows = Vector.newBuilder[(Long, Long)]
    evidence.outcomes.foreach((_, passed, count) => rows += ((passed, count)))
    rows.result()
  }

  /** An order for every node, by node. */
  def arrange(): IndexedSeq[IndexedSeq[Int]] = {
    val orders = Array.fill(shape.nodes.size)(Vector.empty[Int])
    def settle(at: Int, rows: Rows): Unit = {
      orders(at) = greedy(at, rows)
      walk(at, orders(at), rows)((child, left) => if (child < 0) settle(~child, left))
    }
    settle(0, everyRow)
    orders.toVector
  }

  /** Mean cost of a row in ns. */
  def cost(orders: IndexedSeq[IndexedSeq[Int]]): Double = {
    def of(at: Int, rows: Rows): Double = {
      var sum = 0.0
      walk(at, orders(at), rows) { (child, left) =>
        sum += (if (child >= 0) costs(child) * weight(left) else of(~child, left))
      }
      sum
    }
    of(0, everyRow) / math.max(weight(everyRow), 1.0)
  }

  /** Calls `each` with every child in turn and the rows that come to it. */
  private def walk(at: Int, order: Seq[Int], rows: Rows)(each: (Int, Rows) => Unit): Unit = {
    val node = shape.nodes(at)
    order.foldLeft(rows) { (left, position) =>
      each(node.children(position), left)
      left.filter { case (passed, _) => isTrue(node.children(position), passed) == node.all }
    }
  }

  private def greedy(at: Int, rows: Rows): Vector[Int] = {
    val Shape.Node(all, children) = shape.nodes(at)
    def next(done: Vector[Int], left: Rows): Vector[Int] =
      if (done.size == children.size) done
      else {
        val waiting = children.indices.filterNot(done.contains)
        // A leaf that may throw takes all written before it along.
        val moves = waiting.map(i =>
          if (children(i) >= 0 && mayThrow(children(i))) waiting.filter(_ <= i).toVector else Vector(i)
        )
        // Where no row of the sample comes this far, what is true of all rows has to do.
        val rowsToJudgeBy = if (weight(left) < JointSample.Fewest) rows else left
        val chosen = moves.minBy(rank(at, _, rowsToJudgeBy))
        val undecided =
          chosen.foldLeft(left)((rows, i) => rows.filter(row => isTrue(children(i), row._1) == all))
        next(done ++ chosen, undecided)
      }
    next(Vector.empty, rows)
  }

  /** Cost of the children `move` in turn for each row that they decide. */
  private def rank(at: Int, move: Seq[Int], rows: Rows): Double = {
    val Shape.Node(all, children) = shape.nodes(at)
    var sum = 0.0
    walk(at, move, rows)((child, left) => sum += costOf(child, left))
    val undecided = weight(rows.filter { case (passed, _) =>
      move.forall(i => isTrue(children(i), passed) == all)
    })
    sum / (weight(rows) - undecided + 0.5)
  }

  private def costOf(child: Int, rows: Rows): Double =
    if (child >= 0) costs(child) * weight(rows)
    else {
      var sum = 0.0
      walk(~child, greedy(~child, rows), rows)((below, left) => sum += costOf(below, left))
      sum
    }

  private def isTrue(child: Int, passed: Long): Boolean =
    shape.truth(child, leaf => (passed >>> leaf & 1) == 1)

  private def weight(rows: Rows): Double = rows.foldLeft(0.0)(_ + _._2.toDouble)
}

private object JointSample {

  /** Outcomes, a bit a leaf that passed, and how many rows had them. */
  private type Rows = Vector[(Long, Long)]

  private val Fewest = 4.0
}
