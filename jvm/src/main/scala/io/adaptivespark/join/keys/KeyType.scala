package io.adaptivespark.join.keys

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{BoundReference, Expression, Literal}
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

/** How the keys of a type are collected, looked up and written as literals.
  *
  * Not there for floating point, whose NaN and −0.0 are equal to others in a join and not in a file's statistics; for strings that are not compared by their
  * bytes; and for types that no scan prunes by.
  */
sealed abstract private[adaptivespark] class KeyType(val dataType: DataType) extends Serializable {
  type Key
  type Collector <: KeyCollector[Key]

  implicit def space: KeySpace[Key]
  def collector(limits: KeyLimits): Collector

  /** Puts the value of `key` for a row into `collector`, unless it is null. */
  def adding(key: Expression, collector: Collector): InternalRow => Unit

  /** `key` as a literal of the key's own type. */
  def literal(key: Key): Literal
}

private[adaptivespark] object KeyType {

  def of(dataType: DataType): Option[KeyType] = dataType match {
    case ByteType | ShortType | IntegerType | LongType | DateType | TimestampType | TimestampNTZType |
        BooleanType => Some(new LongKeyType(dataType))
    case decimal: DecimalType =>
      Some(if (decimal.precision <= Decimal.MAX_LONG_DIGITS) new LongKeyType(decimal)
      else new DecimalKeyType(decimal))
    case _: CharType | _: VarcharType => None
    case StringType => Some(new BytesKeyType(StringType))
    case BinaryType => Some(new BytesKeyType(BinaryType))
    case _ => None
  }

  /** As one number, by which longs are collected. */
  def asLong(value: Any): Long = (value: @unchecked) match {
    case decimal: Decimal => decimal.toUnscaledLong
    case boolean: Boolean => if (boolean) 1L else 0L
    case number: Number => number.longValue
  }
}

final private[adaptivespark] class LongKeyType(dataType: DataType) extends KeyType(dataType) {
  override type Key = Long
  override type Collector = LongCollector
  override def space: KeySpace[Long] = KeySpace.Longs
  override def collector(limits: KeyLimits): LongCollector = new LongCollector(limits)

  override def adding(key: Expression, collector: LongCollector): InternalRow => Unit = key match {
    case BoundReference(i, _, _) =>
      val get = reader(i)
      row => if (!row.isNullAt(i)) collector.add(get.get(row))
    case _ =>
      row => {
        val value = key.eval(row)
        if (value != null) collector.add(KeyType.asLong(value))
      }
  }

  // A function would box.
  private trait LongReader { def get(row: InternalRow): Long }

  private def reader(i: Int): LongReader = (dataType: @unchecked) match {
    case LongType | TimestampType | TimestampNTZType => _.getLong(i)
    case IntegerType | DateType => _.getInt(i).toLong
    case ShortType => _.getShort(i).toLong
    case ByteType => _.getByte(i).toLong
    case BooleanType => row => if (row.getBoolean(i)) 1L else 0L
    case decimal: DecimalType => _.getDecimal(i, decimal.precision, decimal.scale).toUnscaledLong
  }

  override def literal(key: Long): Literal = Literal(
    dataType match {
      case IntegerType | DateType => key.toInt
      case ShortType => key.toShort
      case ByteType => key.toByte
      case BooleanType => key != 0L
      case decimal: DecimalType => Decimal(key, decimal.precision, decimal.scale)
      case _ => key
    },
    dataType
  )
}

/** Keys that are objects. */
sealed abstract private[adaptivespark] class ObjectKeyType[K](dataType: DataType) extends KeyType(dataType) {
  override type Key = K
  override type Collector = ObjectCollector[K]
  protected def keyOf(value: Any): K

  override def adding(key: Expression, collector: ObjectCollector[K]): InternalRow => Unit = row => {
    val value = key.eval(row)
    if (value != null) collector.add(keyOf(value))
  }
}

final private[adaptivespark] class BytesKeyType(dataType: DataType)
    extends ObjectKeyType[UTF8String](dataType) {
  override def space: KeySpace[UTF8String] = KeySpace.Bytes
  override def collector(limits: KeyLimits): ObjectCollector[UTF8String] = new BytesCollector(limits)

  override protected def keyOf(value: Any): UTF8String = (value: @unchecked) match {
    case string: UTF8String => string
    case bytes: Array[Byte] => UTF8String.fromBytes(bytes)
  }

  override def literal(key: UTF8String): Literal =
    Literal(if (dataType == BinaryType) key.getBytes else key, dataType)
}

final private[adaptivespark] class DecimalKeyType(dataType: DecimalType)
    extends ObjectKeyType[Decimal](dataType) {
  override def space: KeySpace[Decimal] = KeySpace.Decimals
  override def collector(limits: KeyLimits): ObjectCollector[Decimal] = new DecimalCollector(limits)
  override protected def keyOf(value: Any): Decimal = value.asInstanceOf[Decimal]
  override def literal(key: Decimal): Literal = Literal(key, dataType)
}
