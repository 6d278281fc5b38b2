package io.adaptivespark.filter.sampling

import org.scalatest.funsuite.AnyFunSuite

import io.adaptivespark.conf.Rate
import io.adaptivespark.filter.order.{
  ConditionalPolicy,
  LearnedOrder,
  Loops,
  OrderPolicy,
  PredicateShape,
  RankPolicy,
  SegmentOrdering
}

class SegmentMonitorSuite extends AnyFunSuite {
  private val rank = RankPolicy(0.3, margin = 0.1)

  private def monitor(collectRate: Int, mayThrow: Boolean*): RowMonitor = {
    val ordering = orderingOf(rank, mayThrow: _*)
    new RowMonitor(
      new SharedOrder(ordering),
      ordering,
      partition = 0,
      SamplingDistance(Rate(Some(collectRate)), seed = 1)
    )
  }

  private def sliceMonitor(ordering: SegmentOrdering): SliceMonitor = new SliceMonitor(
    new SharedOrder(ordering),
    ordering,
    partition = 0,
    SamplingDistance(Rate(Some(1)), seed = 1)
  )

  private def orderingOf(policy: OrderPolicy, mayThrow: Boolean*): SegmentOrdering = {
    val shape = PredicateShape.flat(mayThrow.size)
    SegmentOrdering(
      "test",
      shape,
      mayThrow.toIndexedSeq,
      policy,
      epochSamples = 100,
      LearnedOrder.written(shape),
      prior = None,
      verbose = false
    )
  }

  /** Evaluates rows; `truth` by row and leaf. Returns the leaves that evaluated each sampled row. */
  private def run(monitor: RowMonitor, rows: Int)(truth: (Int, Int) => Boolean): Seq[Seq[Int]] =
    (0 until rows).flatMap(row => if (monitor.isNextSample()) Some(sample(monitor, truth(row, _))) else None)

  private def sample(monitor: RowMonitor, truth: Int => Boolean): Seq[Int] =
    Iterator.iterate((monitor.beginSample(), Seq.empty[Int])) { case (leaf, seen) =>
      (monitor.record(leaf, truth(leaf)), seen :+ leaf)
    }.dropWhile(_._1 >= 0).next()._2

  test("one row in collectRate is sampled, on average, and every row is counted") {
    val m = monitor(100, false, false)
    val samples = run(m, 100000)((_, _) => true).size
    assert(math.abs(samples - 1000) < 60 && m.rows == 100000)
  }

  test("collectRate 1 samples every row") {
    val m = monitor(1, false, false)
    assert(run(m, 1000)((_, _) => true).size == 1000 && m.rows == 1000)
  }

  test("samples do not follow the period of the data") {
    val m = monitor(1000, false, false)
    val phases = scala.collection.mutable.Set.empty[Int]
    run(m, 1000000) { (row, _) => phases += row % 1000; true }
    assert(phases.size > 400)
  }

  test("a leaf that may throw is evaluated in a sample only when all written before it have passed") {
    val m = monitor(1, false, false, true, false)
    assert(run(m, 1)((_, _) => true) == Seq(Seq(0, 1, 2, 3)))
    assert(run(m, 1)((_, leaf) => leaf != 1) == Seq(Seq(0, 1, 3)))
    assert(run(m, 1)((_, leaf) => leaf != 3) == Seq(Seq(0, 1, 2, 3)))
  }

  test("what a task saw is in its report, the rows of an unfinished epoch included") {
    val m = monitor(1, false, false)
    run(m, 5)((row, leaf) => leaf == 1 || row < 2)
    val report = new FilterReport(3)
    m.finish(report, from = 1)
    assert(report.evidence.monitored.toSeq == Seq(0, 5, 5) && report.evidence.passed.toSeq == Seq(0, 2, 5) &&
      report.samples == 5)
  }

  private def outcomes(monitor: SegmentMonitor): Map[(Long, Long), Long] = {
    val report = new FilterReport(3)
    monitor.finish(report, from = 1)
    val seen = Map.newBuilder[(Long, Long), Long]
    report.evidence.outcomes.foreach((evaluated, passed, rows) => seen += (evaluated, passed) -> rows)
    seen.result()
  }

  for (policy <- Seq(rank, ConditionalPolicy(0.3, margin = 0.1)))
    test(
      s"which leaves rows pass together is collected where the policy looks at it (${policy.usesOutcomes})"
    ) {
      val ordering = orderingOf(policy, false, false)
      def distance = SamplingDistance(Rate(Some(1)), seed = 1)
      def truth(row: Int, leaf: Int): Boolean = leaf == 1 || row < 2
      val rows = new RowMonitor(new SharedOrder(ordering), ordering, partition = 0, distance)
      run(rows, 5)(truth)
      val slices = new SliceMonitor(new SharedOrder(ordering), ordering, partition = 0, distance)
      slices.see(new Loops(Vector.tabulate(2, 5)((leaf, row) => truth(row, leaf))), 0, Array.range(0, 5), 5)
      val expected =
        if (policy.usesOutcomes) Map((6L, 6L) -> 2L, (6L, 4L) -> 3L) else Map.empty[(Long, Long), Long]
      assert(outcomes(rows) == expected && outcomes(slices) == expected)
    }

  test("the first slice waits until as many rows as it has have passed, fewer where more are sampled") {
    def firstSample(rate: Rate): Int = {
      val ordering = orderingOf(rank, false, false)
      val slices =
        new SliceMonitor(new SharedOrder(ordering), ordering, partition = 0, SamplingDistance(rate, seed = 1))
      var calls = 0
      val loops = new Loops(Vector.fill(2, 1)(true)) {
        override def keep(conjunct: Int, rows: Array[Int], count: Int, kept: Array[Int]): Int = {
          calls += 1
          super.keep(conjunct, rows, count, kept)
        }
      }
      Iterator.from(1).find { _ =>
        slices.see(loops, 0, Array(0), 1)
        calls > 0
      }.get
    }
    assert(firstSample(Rate(Some(1000))) == 128 && firstSample(Rate.auto) == 128)
    assert(firstSample(Rate(Some(3))) == 4)
  }

  test("slices keep a leaf that may throw from rows that one before it drops, whatever the policy") {
    val ordering = orderingOf(rank, false, true)
    val slices = sliceMonitor(ordering)
    slices.see(
      new Loops(Vector(Vector(true, false, true), Vector(true, true, true))),
      0,
      Array.range(0, 3),
      3
    )
    val report = new FilterReport(2)
    slices.finish(report, from = 0)
    assert(report.evidence.monitored.toSeq == Seq(3, 2))
  }

  test("a task whose rows change orders anew within a few samples, and leaves the others' order alone") {
    val ordering = orderingOf(rank, false, false).copy(epochSamples = 100000)
    val shared = new SharedOrder(ordering)
    val m = new RowMonitor(shared, ordering, partition = 0, SamplingDistance(Rate(Some(1)), seed = 1))
    run(m, 10000)((row, leaf) => (leaf == 0) == (row % 50 == 0))
    assert(m.nodes.head.toSeq == Seq(0, 1) && shared.current.order == Seq(0, 1))
    run(m, 200)((row, leaf) => (leaf == 1) == (row % 50 == 0))
    assert(m.nodes.head.toSeq == Seq(1, 0) && shared.current.order == Seq(0, 1))
    val report = new FilterReport(2)
    m.finish(report, from = 0)
    assert(report.samples == 10200 && report.evidence.monitored.toSeq == Seq(10200, 10200))
  }

  /** The cost of each of two leaves in ns per row, as a report has it. */
  private def costs(monitor: SegmentMonitor): Seq[Double] = {
    val report = new FilterReport(2)
    monitor.finish(report, from = 0)
    report.evidence.nanos.zip(report.evidence.monitored).toSeq.map { case (nanos, rows) =>
      nanos.toDouble / rows
    }
  }

  private val pause = 50L // ms, as long as a garbage collection

  for (paused <- Seq(0, 5, 100))
    test(s"a pause within row $paused hardly changes what its leaf costs") {
      val m = monitor(1, false, false)
      run(m, 200) { (row, leaf) =>
        if (row == paused && leaf == 1) Thread.sleep(pause)
        true
      }
      val Seq(undisturbed, disturbed) = costs(m)
      assert(disturbed < undisturbed + 2000)
    }

  for (paused <- Seq(1, 2, 3, 8))
    test(s"a pause within evaluation $paused of slices hardly changes what its leaf costs") {
      val ordering = orderingOf(rank, false, false)
      val m = sliceMonitor(ordering)
      var evaluations = 0
      val loops = new Loops(Vector.fill(2, 128)(true)) {
        override def keep(conjunct: Int, rows: Array[Int], count: Int, kept: Array[Int]): Int = {
          evaluations += conjunct
          if (conjunct == 1 && evaluations == paused) Thread.sleep(pause)
          super.keep(conjunct, rows, count, kept)
        }
      }
      while (evaluations < 10) m.see(loops, 0, Array.range(0, 128), 128)
      val Seq(undisturbed, disturbed) = costs(m)
      assert(disturbed < undisturbed + 2000)
    }

  test("a leaf whose rows become as costly as a pause is ordered by what it costs then") {
    val ordering = orderingOf(rank, false, false).copy(epochSamples = 128)
    val m = sliceMonitor(ordering)
    var costly = false
    val loops = new Loops(Vector.fill(2, 128)(false)) {
      override def keep(conjunct: Int, rows: Array[Int], count: Int, kept: Array[Int]): Int = {
        if (conjunct == 0 && costly) Thread.sleep(5)
        super.keep(conjunct, rows, count, kept)
      }
    }
    m.see(loops, 0, Array.range(0, 128), 128)
    costly = true
    (1 to 10).foreach(_ => m.see(loops, 0, Array.range(0, 128), 128))
    assert(m.nodes.head.toSeq == Seq(1, 0))
  }
}
