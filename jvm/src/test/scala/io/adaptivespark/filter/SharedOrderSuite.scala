package io.adaptivespark.filter

import java.util.concurrent.{CountDownLatch, Executors, TimeUnit}

import org.scalatest.funsuite.AnyFunSuite

class SharedOrderSuite extends AnyFunSuite {
  private val free = IndexedSeq(false, false)
  private val rank = RankPolicy(0.3, margin = 0.1)

  /** Rows of which the second conjunct drops more for less. */
  private def samples(n: Int): Evidence =
    new Evidence(Array.fill(2)(n.toLong), Array(n.toLong, 0L), Array(n * 100L, n * 10L))

  private def shared(policy: OrderPolicy = rank, epochSamples: Long = 1000): SharedOrder = {
    val shape = Shape.flat(2)
    new SharedOrder(
      Ordering(
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
    assert(order.offer(samples(31), wait = false) == SharedOrder.Kept && order.current.isWritten)
    assert(order.offer(samples(1), wait = false) == SharedOrder.Reordered &&
      order.current.order == Vector(1, 0))
  }

  test("epochs start at 32 samples and double up to the full length") {
    val order = shared(epochSamples = 100)
    val lengths = (1 to 4).map { _ =>
      val length = order.samplesToCollect
      order.offer(samples(length.toInt), wait = false)
      length
    }
    assert(lengths == Seq(32, 64, 100, 100))
  }

  test("while one task reorders, another is refused, keeps its samples and gets them in later") {
    val (entered, proceed) = (new CountDownLatch(1), new CountDownLatch(1))
    val slow = new OrderPolicy {
      override def carriedOver: Double = 0
      override def usesOutcomes: Boolean = false
      override def next(
          previous: LearnedOrder,
          evidence: Evidence,
          shape: Shape,
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
      val first = pool.submit(() => order.offer(samples(32), wait = false))
      assert(entered.await(10, TimeUnit.SECONDS))
      val mine = samples(64)
      assert(order.offer(mine, wait = false) == SharedOrder.Refused && mine.samples == 64)
      proceed.countDown()
      assert(first.get(10, TimeUnit.SECONDS) == SharedOrder.Reordered)
      assert(order.offer(mine, wait = true) == SharedOrder.Kept && order.current.epoch == 2)
    } finally pool.shutdownNow()
  }

  test("the same key gives the same order on an executor") {
    val (a, b) = (SharedOrder.of("k/1")(shared()), SharedOrder.of("k/1")(shared()))
    assert(a eq b)
    assert(!(SharedOrder.of("k/2")(shared()) eq a))
  }
}
