package io.adaptivespark.filter.sampling

import java.util.concurrent.{CountDownLatch, Executors, TimeUnit}

import org.scalatest.funsuite.AnyFunSuite

import io.adaptivespark.filter.order.{
  Evidence,
  LearnedOrder,
  OrderPolicy,
  PredicateShape,
  RankPolicy,
  SegmentOrdering
}

class SharedOrderSuite extends AnyFunSuite {
  private val free = IndexedSeq(false, false)
  private val rank = RankPolicy(0.3, margin = 0.1)

  /** Rows of which the second conjunct drops more for less. */
  private def samples(n: Int): Evidence =
    new Evidence(Array.fill(2)(n.toLong), Array(n.toLong, 0L), Array(n * 100L, n * 10L))

  private val partitions = Iterator.from(100)

  /** Offers what a task of a partition of its own has seen. */
  private def offer(order: SharedOrder, evidence: Evidence, wait: Boolean = false): SharedOrder.Answer =
    order.offer(evidence, order.begin(partitions.next()), wait)

  private def shared(policy: OrderPolicy = rank, epochSamples: Long = 1000): SharedOrder = {
    val shape = PredicateShape.flat(2)
    new SharedOrder(
      SegmentOrdering(
        "test",
        shape,
        free,
        policy,
        epochSamples,
        LearnedOrder.written(shape),
        prior = None,
        verbose = false
      )
    )
  }

  test("an epoch that is not full changes nothing; a full one reorders") {
    val order = shared()
    assert(offer(order, samples(31)) == SharedOrder.Kept && order.current.isWritten)
    assert(offer(order, samples(1)) == SharedOrder.Reordered &&
      order.current.order == Vector(1, 0))
  }

  test("epochs start at 32 samples and double up to the full length") {
    val order = shared(epochSamples = 100)
    val lengths = (1 to 4).map { _ =>
      val length = order.samplesToCollect
      offer(order, samples(length.toInt))
      length
    }
    assert(lengths == Seq(32, 64, 100, 100))
  }

  test("samples of a task that runs again count once, and those that it did not come to before") {
    val order = shared()
    val failed = order.begin(7)
    Seq(10, 10).foreach(n => order.offer(samples(n), failed, wait = false))
    val again = order.begin(7)
    Seq(10, 5, 7).foreach(n => assert(order.offer(samples(n), again, wait = false) == SharedOrder.Kept))
    // 22 of 32: those of the second attempt from its 21st on
    assert(offer(order, samples(9)) == SharedOrder.Kept && order.current.isWritten)
    assert(offer(order, samples(1)) == SharedOrder.Reordered)
  }

  test("while one task reorders, another is refused, keeps its samples and gets them in later") {
    val (entered, proceed) = (new CountDownLatch(1), new CountDownLatch(1))
    val slow = new OrderPolicy {
      override def carriedOver: Double = 0
      override def usesOutcomes: Boolean = false
      override def next(
          previous: LearnedOrder,
          evidence: Evidence,
          shape: PredicateShape,
          mayThrow: IndexedSeq[Boolean]
      ): LearnedOrder = {
        entered.countDown()
        proceed.await(10, TimeUnit.SECONDS)
        rank.next(previous, evidence, shape, mayThrow)
      }
    }
    val order = shared(slow)
    val pool = Executors.newSingleThreadExecutor()
    try {
      val first = pool.submit(() => offer(order, samples(32)))
      assert(entered.await(10, TimeUnit.SECONDS))
      val mine = samples(64)
      assert(offer(order, mine) == SharedOrder.Refused && mine.samples == 64)
      proceed.countDown()
      assert(first.get(10, TimeUnit.SECONDS) == SharedOrder.Reordered)
      assert(offer(order, mine, wait = true) == SharedOrder.Kept && order.current.epoch == 2)
    } finally pool.shutdownNow()
  }

  test("the same key gives the same order on an executor") {
    val (a, b) = (SharedOrder.of("k/1")(shared()), SharedOrder.of("k/1")(shared()))
    assert(a eq b)
    assert(!(SharedOrder.of("k/2")(shared()) eq a))
  }

  test("orders of large filters fit into the bound of an executor, those of usual ones are many") {
    val shape = PredicateShape.flat(2000)
    def large = new SharedOrder(SegmentOrdering(
      "test",
      shape,
      IndexedSeq.fill(2000)(false),
      rank,
      1000,
      LearnedOrder.written(shape),
      prior = None,
      verbose = false
    ))
    val newest = (1 to 300).map(i => SharedOrder.of(s"large/$i")(large)).last
    assert(SharedOrder.count < 200)
    assert(SharedOrder.of("large/300")(large) eq newest)
    (1 to 2000).foreach(i => SharedOrder.of(s"small/$i")(shared()))
    assert(SharedOrder.count == SharedOrder.MostOrders)
  }
}
