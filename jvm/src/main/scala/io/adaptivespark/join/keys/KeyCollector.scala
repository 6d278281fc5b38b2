package io.adaptivespark.join.keys

import java.util.Arrays

import scala.collection.mutable

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{BoundReference, Expression}
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String
import org.apache.spark.util.sketch.BloomFilter

/** Collects the distinct keys of a build side in bounded memory: once they are too many, as ranges, which hold more
  * values than the keys and never less.
  *
  * Each task has one, and the driver has one that adds up those of the tasks.
  *
  * @param limits
  *   the same for all collectors of a build side
  * @param exact
  *   the most distinct keys that are known one by one
  */
sealed abstract private[adaptivespark] class KeyCollector[K](limits: KeyLimits, exact: Int)(implicit
    domain: KeyDomain[K]
) {
  protected var rows = 0L
  protected val bloom: Option[BloomFilter] =
    limits.bloomItems.filter(_ > exact).map(items =>
      BloomFilter.create(items, items * KeyLimits.BloomBitsOfKey)
    )
  protected var widened: IndexedSeq[KeyRange[K]] = IndexedSeq.empty

  /** A function that adds the value of `key` for a row, unless that is null.
    *
    * @param key
    *   bound to the rows, of a type of this domain
    */
  def adding(key: Expression): InternalRow => Unit

  /** Adds a key to the set of those seen; false if that is full, which an empty one never is. */
  protected def put(key: K): Boolean

  /** The keys of the set, ascending. */
  protected def sorted: IndexedSeq[K]

  protected def clear(): Unit

  final protected def keep(key: K): Unit = if (!KeyRanges.hold(widened, key) && !put(key)) {
    widen()
    keep(key)
  }

  /** Turns the set into ranges, to begin a new one. */
  final protected def widen(): Unit = {
    widened = cut(ranges)
    clear()
  }

  /** The number of ranges that are kept of these. */
  protected def mostOf(ranges: IndexedSeq[KeyRange[K]]): Int = KeyLimits.WidenedRanges

  private def cut(ranges: IndexedSeq[KeyRange[K]]) = KeyRanges.cut(ranges, mostOf(ranges))

  private def ranges: IndexedSeq[KeyRange[K]] =
    KeyRanges.union(widened ++ sorted.map(key => KeyRange(key, key)))

  /** True while all keys are known one by one, within the limits. */
  def fits: Boolean = widened.isEmpty

  /** The keys so far. */
  final def summary: KeySummary[K] =
    if (widened.isEmpty) KeySummary(rows, Some(sorted), IndexedSeq.empty, bloom)
    else KeySummary(rows, None, cut(ranges), bloom)

  /** Adds the keys of another collector of this domain. */
  final def add(other: KeySummary[_]): Unit = {
    val its = other.as(domain)
    rows += its.rows
    for (mine <- bloom; more <- its.bloom) mine.mergeInPlace(more)
    its.values match {
      case Some(keys) => keys.foreach(keep)
      case None => widened = cut(KeyRanges.union(widened ++ its.widened))
    }
  }
}

/** Collects keys that are longs. No key of a row is boxed. */
final private[adaptivespark] class LongCollector(limits: KeyLimits)
    extends KeyCollector[Long](limits, limits.longs) {
  private var set = new LongSet(0)

  // The ends of `widened`: a long build side has most of its keys in the ranges that the first ones became.
  private var lows, highs = Array.empty[Long]

  override def adding(key: Expression): InternalRow => Unit = key match {
    case BoundReference(i, dataType, _) =>
      val get = reader(i, dataType)
      row => if (!row.isNullAt(i)) add(get.get(row))
    case _ =>
      row => {
        val value = key.eval(row)
        if (value != null) add(KeyDomain.Longs.number(value))
      }
  }

  // A function would box.
  private trait LongReader { def get(row: InternalRow): Long }

  private def reader(i: Int, dataType: DataType): LongReader = (dataType: @unchecked) match {
    case LongType | TimestampType | TimestampNTZType => _.getLong(i)
    case IntegerType | DateType => _.getInt(i).toLong
    case ShortType => _.getShort(i).toLong
    case ByteType => _.getByte(i).toLong
    case BooleanType => row => if (row.getBoolean(i)) 1L else 0L
    case decimal: DecimalType => _.getDecimal(i, decimal.precision, decimal.scale).toUnscaledLong
  }

  def add(key: Long): Unit = {
    rows += 1
    if (bloom.isDefined) bloom.get.putLong(key)
    if (!isWidened(key) && !put(key)) {
      widen()
      lows = widened.map(_.low).toArray
      highs = widened.map(_.high).toArray
      if (!isWidened(key)) put(key)
    }
  }

  private def isWidened(key: Long): Boolean = lows.length > 0 && {
    val at = Arrays.binarySearch(lows, key)
    at >= 0 || at < -1 && key <= highs(-at - 2)
  }

  override protected def put(key: Long): Boolean = {
    val fits = set.size < limits.longs || set.contains(key)
    if (fits) set.add(key)
    fits
  }

  override protected def sorted: IndexedSeq[Long] = new Unboxed(set.sorted)
  override protected def clear(): Unit = set = new LongSet(0)
}

/** An array's values, none of which is boxed before it is asked for. */
final private class Unboxed(values: Array[Long]) extends IndexedSeq[Long] with Serializable {
  override def length: Int = values.length
  override def apply(i: Int): Long = values(i)
}

/** Collects keys that are objects. */
sealed abstract private[adaptivespark] class ObjectCollector[K](limits: KeyLimits)(implicit
    domain: KeyDomain[K]
) extends KeyCollector[K](limits, limits.values) {
  private val keys = mutable.HashSet.empty[K]
  private var bytes = 0L

  /** A value of a row as a key. */
  protected def keyOf(value: Any): K

  protected def bytesOf(key: K): Int

  /** `key`, or a copy if its buffer may be reused. */
  protected def own(key: K): K = key

  /** The bytes by which a bloom filter knows a key. */
  protected def hashed(key: K): Array[Byte]

  override def adding(key: Expression): InternalRow => Unit = row => {
    val value = key.eval(row)
    if (value != null) add(keyOf(value))
  }

  def add(key: K): Unit = {
    rows += 1
    bloom.foreach(_.putBinary(hashed(key)))
    keep(key)
  }

  override protected def put(key: K): Boolean =
    keys.contains(key) ||
      (keys.isEmpty || keys.size < limits.values && bytes + bytesOf(key) <= limits.valueBytes) && {
        bytes += bytesOf(key)
        keys.add(own(key))
      }

  // The first key is kept however long it is.
  override def fits: Boolean = super.fits && bytes <= limits.valueBytes

  override protected def sorted: IndexedSeq[K] = keys.toIndexedSeq.sorted(domain)

  override protected def clear(): Unit = {
    keys.clear()
    bytes = 0
  }
}

final private[adaptivespark] class BytesCollector(limits: KeyLimits)
    extends ObjectCollector[UTF8String](limits) {
  override protected def keyOf(value: Any): UTF8String = (value: @unchecked) match {
    case string: UTF8String => string
    case bytes: Array[Byte] => UTF8String.fromBytes(bytes)
  }

  override protected def own(key: UTF8String): UTF8String = key.copy()
  override protected def bytesOf(key: UTF8String): Int = key.numBytes

  // The longest of them could be both ends of each.
  override protected def mostOf(ranges: IndexedSeq[KeyRange[UTF8String]]): Int = {
    val longest = ranges.iterator.map(range => math.max(range.low.numBytes, range.high.numBytes)).max
    math.min(super.mostOf(ranges), math.max(limits.valueBytes / math.max(2 * longest, 1), 1))
  }

  override protected def hashed(key: UTF8String): Array[Byte] = key.getBytes
}

final private[adaptivespark] class DecimalCollector(limits: KeyLimits)
    extends ObjectCollector[Decimal](limits) {
  override protected def keyOf(value: Any): Decimal = value.asInstanceOf[Decimal]
  override protected def bytesOf(key: Decimal): Int = 16
  override protected def hashed(key: Decimal): Array[Byte] = key.toJavaBigDecimal.unscaledValue.toByteArray
}
