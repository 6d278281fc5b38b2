package io.adaptivespark.join.keys

import org.apache.spark.sql.types.Decimal
import org.apache.spark.unsafe.types.UTF8String
import org.apache.spark.util.sketch.BloomFilter

/** A test of a row's key: false where the build side of a join does not hold it. */
sealed trait KeyMembership extends Serializable {

  /** `bitmap`, `set` or `bloom`, as users are told. */
  def kind: String

  def mayHold(key: Long): Boolean
  def mayHold(key: UTF8String): Boolean
  def mayHold(key: Decimal): Boolean

  final def mayHold(key: Array[Byte]): Boolean = mayHold(UTF8String.fromBytes(key))
}

private[adaptivespark] object KeyMembership {

  // A bitmap may have so many bits for each key.
  private val BitsOfKey = 256L

  // A bitmap may have so many bits in any case, 128 KiB: the second cache of a core holds them.
  private val FewBits = 1L << 20

  def ofObjects[K](keys: KeySummary[K]): Option[KeyMembership] =
    keys.values.map(values => new ObjectsFilter(values.toSet))
      .orElse(keys.bloom.map(new BloomKeyFilter(_)))

  def ofLongs(keys: KeySummary[Long]): Option[KeyMembership] = keys.values match {
    case Some(values) if values.isEmpty => Some(new LongsFilter(Array.empty))
    case Some(values) =>
      val span = values.last - values.head
      Some(
        if (span >= 0 && (span < FewBits || span / BitsOfKey < values.size))
          new BitmapFilter(values.head, span.toInt + 1, values.toArray)
        else new LongsFilter(values.toArray)
      )
    case None => keys.bloom.map(new BloomKeyFilter(_))
  }
}

/** Integers that lie close together.
  *
  * A test takes no hash, and no branch that the processor predicts wrong: by the set it took 14 ns a row
  * (docs/performance/joins.md, `q3`).
  */
final private[adaptivespark] class BitmapFilter(first: Long, bits: Int, keys: Array[Long]) extends ForLongs {
  override def kind: String = "bitmap"

  // Executors are sent the keys, which may be far fewer.
  @transient private lazy val words = {
    val words = new Array[Long]((bits >> 6) + 1)
    keys.foreach { key =>
      val bit = (key - first).toInt
      words(bit >> 6) |= 1L << bit
    }
    words
  }

  override def mayHold(key: Long): Boolean = {
    val bit = key - first
    bit >= 0 && bit < bits && (words((bit >> 6).toInt) >>> bit & 1L) != 0
  }
}

/** Few integers. */
final private[adaptivespark] class LongsFilter(keys: Array[Long]) extends ForLongs {
  override def kind: String = "set"

  @transient private lazy val set = {
    // Few keys stand so sparse that the first look nearly always finds a free slot for a key that is not here, as the
    // processor will expect: 7 % less time of a whole join (docs/performance/joins.md, `unclustered`).
    val set = new LongSet(math.max(keys.length, math.min(keys.length * 8, LongsFilter.Few)))
    keys.foreach(set.add)
    set
  }

  override def mayHold(key: Long): Boolean = set.contains(key)
}

private object LongsFilter {
  // Room for so many keys takes 256 KiB.
  private val Few = 8192
}

sealed private[adaptivespark] trait ForLongs extends KeyMembership {
  override def mayHold(key: UTF8String): Boolean = true
  override def mayHold(key: Decimal): Boolean = true
}

/** Few strings, binary values or large decimals. */
final private[adaptivespark] class ObjectsFilter(keys: Set[_]) extends KeyMembership {
  override def kind: String = "set"

  @transient private lazy val set = {
    val set = new java.util.HashSet[Any]
    keys.foreach(set.add(_))
    set
  }

  override def mayHold(key: Long): Boolean = true
  override def mayHold(key: UTF8String): Boolean = set.contains(key)
  override def mayHold(key: Decimal): Boolean = set.contains(key)
}

/** Many keys of any kind. Some other values pass too. */
final private[adaptivespark] class BloomKeyFilter(bloom: BloomFilter) extends KeyMembership {
  override def kind: String = "bloom"
  override def mayHold(key: Long): Boolean = bloom.mightContainLong(key)
  override def mayHold(key: UTF8String): Boolean = bloom.mightContainBinary(key.getBytes)
  override def mayHold(key: Decimal): Boolean =
    bloom.mightContainBinary(key.toJavaBigDecimal.unscaledValue.toByteArray)
}
