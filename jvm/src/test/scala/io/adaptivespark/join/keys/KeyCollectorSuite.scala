package io.adaptivespark.join.keys

import scala.util.Random

import org.apache.commons.lang3.SerializationUtils
import org.apache.spark.sql.types.Decimal
import org.apache.spark.unsafe.types.UTF8String
import org.scalatest.funsuite.AnyFunSuite

class KeyCollectorSuite extends AnyFunSuite {

  private def longs(limits: KeyLimits, keys: Iterable[Long]): KeySummary[Long] = {
    val collector = new LongCollector(limits)
    keys.foreach(collector.add)
    collector.summary
  }

  private def holds(summary: KeySummary[Long], key: Long): Boolean =
    summary.ranges.exists(r => r.low <= key && key <= r.high)

  test("distinct keys, ascending, zero and the extremes among them") {
    val summary = longs(KeyLimits(), Seq(5L, 0L, Long.MaxValue, 5L, Long.MinValue, 0L))
    assert(summary.values.contains(Seq(Long.MinValue, 0L, 5L, Long.MaxValue)) && summary.rows == 6)
  }

  test("nothing seen is empty") {
    val summary = longs(KeyLimits(), Nil)
    assert(summary.isEmpty && summary.values.contains(Nil) && summary.ranges.isEmpty)
  }

  test("too many keys become ranges that hold them all, and the set is not kept") {
    val random = new Random(1)
    val keys = Seq.fill(20000)(random.nextLong())
    val summary = longs(KeyLimits(longs = 3000), keys)
    assert(summary.values.isEmpty && summary.ranges.size <= KeyLimits.WidenedRanges && summary.rows == 20000)
    assert(keys.forall(holds(summary, _)))
  }

  test("long texts become so few ranges that they stay within the limit") {
    val keys = (1 to 200).map(i => UTF8String.fromString(f"$i%03d" + "x" * 1000))
    val collector = new BytesCollector(KeyLimits(valueBytes = 20000))
    keys.foreach(collector.add)
    val ranges = collector.summary.ranges
    assert(ranges.map(range => range.low.numBytes + range.high.numBytes).sum <= 20000)
    assert(ranges.size > 1 && keys.forall(KeyRanges.hold(ranges, _)(KeyDomain.Bytes)))
    val total = new BytesCollector(KeyLimits(valueBytes = 20000))
    Seq.fill(3)(collector.summary).foreach(total.add)
    assert(total.summary.ranges == ranges)
  }

  test("clusters stay apart when there are too many keys") {
    val summary = longs(KeyLimits(longs = 100), (0L until 1000L) ++ (1000000L until 1001000L))
    assert(summary.ranges == Seq(KeyRange(0L, 999L), KeyRange(1000000L, 1000999L)))
  }

  test("what several collectors saw adds up, exact or not") {
    val random = new Random(2)
    for (limit <- Seq(10, 1000, 100000)) {
      val parts = Seq.fill(4)(Seq.fill(500)(random.nextInt(5000).toLong))
      val total = new LongCollector(KeyLimits(longs = limit))
      parts.foreach(part => total.add(longs(KeyLimits(longs = limit), part)))
      val summary = total.summary
      assert(summary.rows == 2000 && parts.flatten.forall(holds(summary, _)))
      assert(limit < 100000 || summary.values.contains(parts.flatten.distinct.sorted))
    }
  }

  test("a bloom filter that was asked for passes every key, also of others") {
    val limits = KeyLimits(longs = 10, bloomItems = Some(2000))
    val total = new LongCollector(limits)
    Seq(0L until 1000L, 5000L until 6000L).foreach(part => total.add(longs(limits, part)))
    val bloom = total.summary.bloom.get
    assert(((0L until 1000L) ++ (5000L until 6000L)).forall(bloom.mightContainLong))
    assert((10000L until 20000L).count(bloom.mightContainLong) < 500)
  }

  test("what tests rows by integers holds the keys and no others, as a bitmap unless they are far apart") {
    val random = new Random(3)
    def strewn(keys: Int, over: Long) = Seq.fill(keys)(Math.floorMod(random.nextLong(), over) - over / 2)
    for (
      (kind, keys) <- Seq(
        "set" -> Nil,
        "bitmap" -> Seq(0L),
        "bitmap" -> Seq(-5L, 0L, (1L << 20) - 6),
        "set" -> Seq(-5L, 0L, (1L << 20) - 5),
        "bitmap" -> Seq(Long.MinValue, Long.MinValue + 64),
        "bitmap" -> Seq(Long.MaxValue - 1000, Long.MaxValue),
        "set" -> Seq(Long.MinValue, 0L, Long.MaxValue),
        "bitmap" -> strewn(2000, 1 << 20),
        "bitmap" -> strewn(50000, 10 << 20),
        "set" -> strewn(1024, 1L << 40),
        "set" -> strewn(5000, 4 << 20),
        "set" -> strewn(20000, 1L << 40)
      )
    ) {
      val sent = longs(KeyLimits(), keys).membership.get
      val filter = SerializationUtils.clone(sent)
      val held = keys.toSet
      val others = keys.flatMap(k => Seq(k - 1, k + 1, k ^ (1L << 40))) ++
        Seq(0L, Long.MinValue, Long.MaxValue)
      assert(filter.kind == kind, keys.take(5))
      assert((keys ++ others).filter(key => filter.mayHold(key) != held(key)) == Nil, keys.take(5))
    }
  }

  test("strings are copied out of buffers that are reused, and bounded by bytes") {
    val collector = new BytesCollector(KeyLimits(valueBytes = 100))
    val buffer = new Array[Byte](10)
    for (i <- 0 until 26) {
      java.util.Arrays.fill(buffer, ('a' + i).toByte)
      collector.add(UTF8String.fromBytes(buffer))
    }
    val summary = collector.summary
    assert(summary.values.isEmpty && summary.ranges.head.low.toString == "a" * 10)
    assert(summary.ranges.last.high.toString == "z" * 10)
  }

  test("a string longer than all that may be kept is still held") {
    val collector = new BytesCollector(KeyLimits(valueBytes = 10))
    Seq("b", "x" * 100, "c").foreach(s => collector.add(UTF8String.fromString(s)))
    val ranges = collector.summary.ranges
    Seq("b", "x" * 100, "c").map(UTF8String.fromString).foreach { key =>
      assert(ranges.exists(r => KeyDomain.Bytes.lteq(r.low, key) && KeyDomain.Bytes.lteq(key, r.high)))
    }
  }

  test("decimals are one by their number") {
    val collector = new DecimalCollector(KeyLimits())
    Seq("1.50", "1.5", "-3").foreach(n => collector.add(Decimal(n)))
    assert(collector.summary.values.get.map(_.toString) == Seq("-3", "1.50") && collector.summary.rows == 3)
  }
}
