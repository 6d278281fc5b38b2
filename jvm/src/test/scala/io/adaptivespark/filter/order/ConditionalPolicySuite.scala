package io.adaptivespark.filter.order

import java.lang.management.ManagementFactory

import scala.collection.mutable
import scala.util.Random

import org.scalatest.funsuite.AnyFunSuite

import io.adaptivespark.filter.plan.{Branch, Conjunct, Leaf, Tree}
import io.adaptivespark.filter.sampling.SharedOrder

class ConditionalPolicySuite extends AnyFunSuite {

  /** Evidence of rows, each a set of the leaves that it passes, with how many they are. */
  private def evidence(leaves: Int, costs: Seq[Long], rows: (Set[Int], Int)*): Evidence = {
    val seen = new Evidence(leaves)
    rows.foreach { case (passed, count) =>
      (0 until leaves).foreach { i =>
        seen.monitored(i) += count
        seen.nanos(i) += costs(i) * count
        if (passed(i)) seen.passed(i) += count
      }
      seen.outcomes.count((1L << leaves) - 1, passed.foldLeft(0L)(_ | 1L << _), count.toLong)
    }
    seen
  }

  private def next(shape: PredicateShape, seen: Evidence, mayThrow: Int*): IndexedSeq[IndexedSeq[Int]] =
    ConditionalPolicy(0.3, margin = 0).next(
      LearnedOrder.written(shape),
      seen,
      shape,
      (0 until shape.leaves).map(mayThrow.contains)
    ).orders

  test("a predicate that another one implies goes last, though alone it ranks before a third") {
    // 0 and 1 drop the same four fifths, 2 drops half of what is left
    val seen = evidence(
      3,
      Seq(10, 11, 12),
      (Set(0, 1, 2), 100),
      (Set(0, 1), 100),
      (Set(2), 400),
      (Set.empty[Int], 400)
    )
    assert(next(PredicateShape.flat(3), seen).head == Vector(0, 2, 1))
    val rank = RankPolicy(
      0.3,
      margin = 0
    ).next(LearnedOrder.written(PredicateShape.flat(3)), seen, PredicateShape.flat(3), Vector.fill(3)(false))
    assert(rank.order == Vector(0, 1, 2))
  }

  test("below an OR the predicate goes next that is true of most of the rows left") {
    val shape = PredicateShape(
      Vector(
        PredicateShape.Node(isConjunction = true, Vector(~1)),
        PredicateShape.Node(isConjunction = false, Vector(0, 1, 2))
      ),
      3
    )
    val seen = evidence(3, Seq(10, 10, 10), (Set(0, 1), 500), (Set(2), 300), (Set.empty[Int], 200))
    assert(next(shape, seen)(1) == Vector(0, 2, 1))
  }

  test("what may throw takes those written before it along") {
    // 2 decides nearly everything and may throw; 1 is dear
    val seen = evidence(3, Seq(10, 100, 1), (Set(0, 1), 900), (Set(0, 1, 2), 10), (Set(1), 45), (Set(0), 45))
    assert(next(PredicateShape.flat(3), seen, 2).head == Vector(0, 1, 2))
    assert(next(PredicateShape.flat(3), seen).head.head == 2)
  }

  test("without joint outcomes the order is that of the ranks") {
    val seen = new Evidence(Array(100L, 100L), Array(50L, 50L), Array(2000L, 1000L))
    assert(next(PredicateShape.flat(2), seen).head == Vector(1, 0))
  }

  test("a prior without joint outcomes orders by rank until there are samples, whose outcomes then count") {
    val prior = new Evidence(Array(1000L, 1000L, 1000L), Array(500L, 500L, 100L), Array(1000L, 1000L, 1000L))
    val (shape, policy) = (PredicateShape.flat(3), ConditionalPolicy(0.3, margin = 0.02))
    val free = IndexedSeq.fill(3)(false)
    val initial = policy.next(LearnedOrder.written(shape), prior, shape, free)
    assert(initial.order == Vector(2, 0, 1))
    val shared = new SharedOrder(SegmentOrdering(
      "test",
      shape,
      free,
      policy,
      epochSamples = 200,
      initial,
      prior = Some(prior),
      verbose = false
    ))
    // 0 passes the same rows as 2, and 1 half of the others.
    val seen =
      evidence(3, Seq(1, 1, 1), (Set(0, 1, 2), 50), (Set(0, 2), 50), (Set(1), 50), (Set.empty[Int], 50))
    assert(shared.offer(seen, shared.begin(0), wait = true) == SharedOrder.Reordered)
    assert(shared.current.order == Vector(0, 1, 2))
  }

  test("old evidence fades, and is gone in the end") {
    val seen = evidence(2, Seq(10, 10), (Set(0), 8))
    (1 to 8).foreach(_ => seen.fade(0.5))
    assert(seen.outcomes.isEmpty && seen.samples == 0)
  }

  test("evidence follows its leaves to other places") {
    val seen = evidence(3, Seq(1, 2, 3), (Set(0, 2), 5))
    val selected = seen.select(Vector(2, 0))
    assert(selected.nanos.toSeq == Seq(15, 5) && selected.passed.toSeq == Seq(5, 5))
    val unknown = seen.select(Vector(1, -1))
    assert(unknown.monitored.toSeq == Seq(5, 0) && unknown.outcomes.isEmpty)
  }

  /** An AND over an OR each of the leaves listed. */
  private def andOfOrs(ors: Seq[Int]*): PredicateShape = PredicateShape(
    PredicateShape.Node(isConjunction = true, ors.indices.map(i => ~(i + 1))) +: ors.map(or =>
      PredicateShape.Node(isConjunction = false, or.toVector)
    ).toVector,
    ors.map(_.size).sum
  )

  test("a node that another one implies goes last, among more nodes than could all be tried in every order") {
    // Three copies of one OR, which passes two fifths; then five that pass half of what is left, each on its own.
    val shape = andOfOrs((0 until 8).map(i => Seq(2 * i, 2 * i + 1)): _*)
    val rows = (0 until 10 * 32).map { row =>
      val copies = if (row % 10 < 4) Set(0, 2, 4) else Set.empty[Int]
      val others = (0 until 5).filter(i => (row / 10 >> i & 1) == 1).map(i => 6 + 2 * i)
      (copies ++ others, 10)
    }
    val order = next(shape, evidence(16, Seq.fill(16)(10L), rows: _*)).head
    assert(order.indexWhere(_ < 3) == 0 && order.tail.filter(_ < 3) == order.takeRight(2), order)
  }

  test("a nested node is ordered by the rows that come to it") {
    // 0 drops nine tenths, and of what it passes leaf 2 is true; of all rows leaf 1 is true more
    // often. 3 to 8 make the tree large.
    val shape = andOfOrs(Seq(0), Seq(1, 2), Seq(3, 4), Seq(5, 6), Seq(7, 8))
    val always = Set(3, 5, 7)
    val seen = evidence(9, Seq.fill(9)(10L), (always + 0 + 2) -> 100, (always + 1) -> 800, always -> 100)
    val orders = next(shape, seen)
    assert(orders(0).head == 0 && orders(2) == Vector(1, 0))
  }

  /** What orders cost the rows on average, leaf by leaf. */
  private def cost(
      shape: PredicateShape,
      orders: IndexedSeq[IndexedSeq[Int]],
      costs: Seq[Long],
      rows: Seq[Set[Int]]
  ): Double = {
    val jumps = BranchTargets.of(shape, LearnedOrder(orders, Vector.empty, 0))
    val spent = rows.map { passed =>
      val path =
        Iterator.iterate(jumps.first)(leaf => if (passed(leaf)) jumps.onTrue(leaf) else jumps.onFalse(leaf))
      path.takeWhile(_ >= 0).map(costs(_)).sum
    }
    spent.sum.toDouble / rows.size
  }

  private def allOrders(shape: PredicateShape): Iterator[IndexedSeq[IndexedSeq[Int]]] =
    shape.nodes.foldLeft(Iterator(Vector.empty[IndexedSeq[Int]])) { (done, node) =>
      done.flatMap(orders => node.children.indices.permutations.map(order => orders :+ order))
    }

  /** A tree of `leaves` leaves in which AND and OR take turns. */
  private def tree(random: Random, leaves: Int, all: Boolean): Tree =
    if (leaves == 1) Leaf(Conjunct(Nil))
    else {
      val cuts = random.shuffle((1 until leaves).toVector).take(1 + random.nextInt(3)).sorted
      val sizes = (0 +: cuts).zip(cuts :+ leaves).map { case (from, until) => until - from }
      Branch(all, sizes.map(tree(random, _, !all)))
    }

  private def shape(random: Random, leaves: Int): PredicateShape = tree(random, leaves, all = true) match {
    case Branch(_, children) => Tree.shape(children)
    case leaf => Tree.shape(Seq(leaf))
  }

  /** Rows whose leaves follow one of a few hidden causes, or chance. */
  private def correlated(random: Random, leaves: Int, rows: Int): Seq[Set[Int]] = {
    val (cause, share) = (Vector.fill(leaves)(random.nextInt(3)), Vector.fill(leaves)(random.nextDouble()))
    Seq.fill(rows) {
      val causes = Vector.fill(3)(random.nextDouble())
      (0 until leaves).filter { i =>
        (if (random.nextInt(10) < 8) causes(cause(i)) else random.nextDouble()) < share(i)
      }.toSet
    }
  }

  test("on correlated rows nested orders cost little more than the best of all, and no more than by ranks") {
    val random = new Random(5)
    val ratios = (1 to 150).map { _ =>
      val nested = shape(random, 6)
      val costs = Seq.fill(6)(1L + random.nextInt(20))
      val rows = correlated(random, 6, 300)
      val seen = evidence(6, costs, rows.map(_ -> 1): _*)
      val rank = RankPolicy(
        0.3,
        margin = 0
      ).next(LearnedOrder.written(nested), seen, nested, Vector.fill(6)(false)).orders
      val least = allOrders(nested).map(cost(nested, _, costs, rows)).min
      (cost(nested, next(nested, seen), costs, rows) / least, cost(nested, rank, costs, rows) / least)
    }
    assert(ratios.forall { case (ours, ranks) => ours <= ranks + 1e-9 })
    val (ours, ranks) = ratios.unzip
    assert(ours.max < 1.05 && ours.sum < ranks.sum, s"${ours.max}, ${ours.sum} ${ranks.sum}")
  }

  test("what may throw stays behind all written before it, and each of these finds its own place") {
    val random = new Random(6)
    (1 to 200).foreach { _ =>
      val (flat, throwing) = (PredicateShape.flat(7), Seq.fill(3)(random.nextInt(7)))
      val seen = evidence(
        7,
        Seq.fill(7)(1L + random.nextInt(20)),
        correlated(random, 7, 200).map(_ -> 1): _*
      )
      val order = next(flat, seen, throwing: _*).head
      assert(order.sorted == (0 until 7))
      throwing.foreach(i => assert((0 until i).forall(order.indexOf(_) < order.indexOf(i)), order))
    }
    // 3 may throw and drops everything. Of those it waits for, 0 is dear, and 1 and 2 drop little.
    val rows = (0 until 1000).map(row => (0 to 2).filter(i => i == 0 || row % 10 != i).toSet -> 1)
    assert(next(PredicateShape.flat(4), evidence(4, Seq(500, 100, 90, 1), rows: _*), 3).head ==
      Vector(2, 1, 0, 3))
  }

  for (
    (name, shapeOf) <- Seq[(String, Random => PredicateShape)](
      "nested" -> (shape(_, 32)),
      "flat" -> (_ => PredicateShape.flat(32))
    );
    throwing <- Seq(Seq.empty[Int], 0 until 32 by 2) if name == "flat" || throwing.isEmpty
  )
    test(s"32 leaves with 4096 outcomes take milliseconds ($name, ${throwing.size} may throw)") {
      val random = new Random(7)
      val large = shapeOf(random)
      val outcomes = mutable.LinkedHashSet.empty[Set[Int]]
      while (outcomes.size < 4096) outcomes += (0 until 32).filter(_ => random.nextInt(20) != 0).toSet
      val rows = outcomes.toVector
      val seen = evidence(32, Seq.fill(32)(1L + random.nextInt(20)), rows.map(_ -> 1): _*)
      val threads = ManagementFactory.getThreadMXBean
      val nanos = (1 to 40).map { _ =>
        val started = threads.getCurrentThreadCpuTime // not the clock, which other programs move on
        next(large, seen, throwing: _*)
        threads.getCurrentThreadCpuTime - started
      }
      info(f"${nanos.min / 1e6}%.1f ms")
      assert(nanos.min < 100000000L, nanos)
    }
}
