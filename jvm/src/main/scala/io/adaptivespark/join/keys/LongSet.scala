package io.adaptivespark.join.keys

/** A hash set of longs with open addressing: boxed ones would take five times the time. */
final private[adaptivespark] class LongSet(expected: Int) {
  // 0 marks a free slot.
  private var slots = new Array[Long](LongSet.slotsFor(expected))
  private var used = 0
  private var hasZero = false

  def size: Int = if (hasZero) used + 1 else used

  def contains(key: Long): Boolean = if (key == 0L) hasZero else slots(slotOf(key)) == key

  def add(key: Long): Unit =
    if (key == 0L) hasZero = true
    else {
      val slot = slotOf(key)
      if (slots(slot) != key) {
        slots(slot) = key
        used += 1
        if (used * 2 > slots.length) grow()
      }
    }

  private def slotOf(key: Long): Int = {
    val mask = slots.length - 1
    var slot = (key * 0x9e3779b97f4a7c15L >>> 32).toInt & mask
    while (slots(slot) != 0L && slots(slot) != key) slot = (slot + 1) & mask
    slot
  }

  private def grow(): Unit = {
    val before = slots
    slots = new Array[Long](before.length * 2)
    before.foreach(key => if (key != 0L) slots(slotOf(key)) = key)
  }

  /** In ascending order. */
  def sorted: Array[Long] = {
    val keys = new Array[Long](size)
    var (at, slot) = (if (hasZero) 1 else 0, 0)
    while (slot < slots.length) {
      if (slots(slot) != 0L) {
        keys(at) = slots(slot)
        at += 1
      }
      slot += 1
    }
    java.util.Arrays.sort(keys)
    keys
  }
}

private object LongSet {
  private def slotsFor(expected: Int): Int = math.max(64, Integer.highestOneBit(math.max(expected, 1)) * 4)
}
