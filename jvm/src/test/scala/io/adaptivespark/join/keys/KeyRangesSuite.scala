package io.adaptivespark.join.keys

import scala.util.Random

import org.apache.spark.unsafe.types.UTF8String
import org.scalatest.funsuite.AnyFunSuite

class KeyRangesSuite extends AnyFunSuite {
  import KeyDomain._

  private def points(keys: Long*) = keys.map(key => KeyRange(key, key)).toIndexedSeq
  private def text(value: String) = UTF8String.fromString(value)

  test("ranges are split at the largest gaps") {
    assert(KeyRanges.cut(points(1, 2, 50, 52, 1000), 3) ==
      Vector(KeyRange(1L, 2L), KeyRange(50L, 52L), KeyRange(1000L, 1000L)))
    assert(KeyRanges.cut(points(1, 2, 50, 52, 1000), 1) == Vector(KeyRange(1L, 1000L)))
  }

  test("few enough ranges stay as they are") {
    assert(KeyRanges.cut(points(1, 3), 2) == points(1, 3).toVector)
    assert(KeyRanges.cut(IndexedSeq.empty[KeyRange[Long]], 2).isEmpty)
  }

  test("as many ranges as leave out nearly all that lies between, of evenly scattered keys most") {
    def every(step: Long, count: Int) = points((1L to count).map(_ * step): _*)
    assert(KeyRanges.worth(every(1000, 100), 1024).size == 96)
    assert(KeyRanges.worth(every(1000, 100), 80).size == 80)
    assert(KeyRanges.worth(every(1000, 50), 1024).size == 50)
    assert(KeyRanges.worth(every(1000, 50), 10).size == 10)
  }

  test("few ranges where many would leave out little, or no more than few") {
    val even = points((1L to 10000).map(_ * 3): _*)
    assert(KeyRanges.worth(even, 1024).size == 64)
    assert(KeyRanges.worth(even, 10).size == 10)
    val clustered = points((1L to 10000).map(i => i * 3 + (if (i > 5000) 1000000L else 0L)): _*)
    assert(KeyRanges.worth(clustered, 1024).size == 64)
    val sentinel = points(-1L +: (1L to 500).map(_ * 1000 + 1000000000L): _*)
    assert(KeyRanges.worth(sentinel, 1024).size == 64)
  }

  test("few ranges where keys are nearly all values from the first to the last") {
    val dense = points((1L to 20000).filter(_ % 9 != 0): _*)
    assert(KeyRanges.worth(KeyRanges.union(dense), 1024).size == 64)
    val inBlocks = points((1L to 20000).filter(_ % 200 < 150): _*)
    assert(KeyRanges.worth(KeyRanges.union(inBlocks), 1024).size > 90)
  }

  test("a gap that does not fit a long is the largest") {
    assert(KeyRanges.cut(points(Long.MinValue, -2, 2, Long.MaxValue), 3).map(_.low) ==
      Vector(Long.MinValue, -2L, Long.MaxValue))
  }

  test("consecutive integers become one range, up to the largest") {
    assert(KeyRanges.union(points(3, 1, 2, 5)) == IndexedSeq(KeyRange(1L, 3L), KeyRange(5L, 5L)))
    assert(KeyRanges.union(points(Long.MaxValue, Long.MaxValue - 1)).size == 1)
    assert(KeyRanges.union(points(Long.MinValue, Long.MaxValue)).size == 2)
  }

  test("overlapping ranges become one") {
    assert(KeyRanges.union(IndexedSeq(KeyRange(1L, 10L), KeyRange(2L, 3L), KeyRange(10L, 12L))) ==
      IndexedSeq(KeyRange(1L, 12L)))
  }

  test("strings are split where they differ after what all have in common") {
    val keys = Seq("item-0001", "item-0002", "item-9001", "item-9002").map(text)
    assert(KeyRanges.cut(keys.map(k => KeyRange(k, k)).toIndexedSeq, 2).map(_.low) ==
      Vector(keys.head, keys(2)))
  }

  test("strings are compared by unsigned bytes") {
    assert(Bytes.lt(text("a"), text("ä")) && Bytes.lt(text("a"), text("ab")))
  }

  for (seed <- 1 to 50) test(s"no key is lost and none is in two ranges, seed $seed") {
    val random = new Random(seed)
    val spread = Seq(10, 1000, Int.MaxValue)(random.nextInt(3))
    val keys =
      Seq.fill(1 + random.nextInt(200))(random.nextInt(spread).toLong * (if (random.nextBoolean()) 1 else -1))
    val most = 1 + random.nextInt(20)
    val exact = KeyRanges.union(points(keys: _*))
    for (ranges <- Seq(KeyRanges.cut(exact, most), KeyRanges.worth(exact, most))) {
      assert(ranges.size <= most)
      keys.foreach(key => assert(ranges.count(r => r.low <= key && key <= r.high) == 1))
      ranges.zip(ranges.drop(1)).foreach { case (a, b) => assert(a.high < b.low) }
    }
    assert(exact.map(r => r.high - r.low + 1).sum == keys.distinct.size)
  }

  test("a key is held by the range that it lies in, ends included") {
    val ranges = Vector(KeyRange(-5L, -5L), KeyRange(0L, 9L), KeyRange(20L, 30L))
    assert((-7L to 32L).filter(KeyRanges.hold(ranges, _)) == (-5L +: (0L to 9L)) ++ (20L to 30L))
    assert(!KeyRanges.hold(Vector.empty[KeyRange[Long]], 1L))
  }

  test("of equal gaps the first are kept") {
    val points = (0L to 50L by 10L).map(key => KeyRange(key, key))
    assert(KeyRanges.cut(points, 3) == Vector(KeyRange(0L, 0L), KeyRange(10L, 10L), KeyRange(20L, 50L)))
  }
}
