package io.adaptivespark.filter.exec

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{GenericInternalRow, UnsafeArrayData}
import org.apache.spark.sql.catalyst.util.{ArrayBasedMapData, GenericArrayData}
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

/** For each type, values at the ends of what it can hold and those that trip parsers, in Catalyst's form. */
object AdversarialValues {

  def of(dataType: DataType): IndexedSeq[Any] = null +:
    (dataType match {
      case BooleanType => Vector(true, false)
      case ByteType => Vector[Byte](0, 1, -1, Byte.MaxValue, Byte.MinValue)
      case ShortType => Vector[Short](0, 1, -1, Short.MaxValue, Short.MinValue)
      case IntegerType | _: YearMonthIntervalType => ints
      case LongType | _: DayTimeIntervalType => longs
      case FloatType => doubles.map(_.toFloat) ++ Vector(Float.MaxValue, Float.MinPositiveValue)
      case DoubleType => doubles
      case decimal: DecimalType => decimals(decimal)
      case StringType => strings
      case BinaryType => binaries
      case DateType => days
      case TimestampType | TimestampNTZType => micros
      case ArrayType(IntegerType, _) => intArrays
      case ArrayType(StringType, _) => Vector(
          array(),
          array(null),
          array(
            utf8("a"),
            utf8(""),
            null,
            utf8("a")
          ),
          array(strings: _*)
        )
      case ArrayType(DoubleType, _) => Vector(
          array(),
          array(null),
          array(doubles: _*),
          array(
            Double.NaN,
            null,
            -0.0,
            0.0
          )
        )
      case ArrayType(_: ArrayType, _) => Vector(
          array(),
          array(null),
          array(intArrays: _*),
          array(
            null,
            array(1)
          )
        )
      case ArrayType(_: StructType, _) => Vector(array(), array(null), array(structs :+ null: _*))
      case MapType(StringType, _, _) =>
        Vector(map()(), map(utf8("a"))(null), map(utf8(""), utf8("a"))(1, Int.MinValue))
      case _: StructType => structs
    })

  /** Rows of `schema` whose `columns` hold each combination of values, or, where those are more than `most`, each
    * value and a repeatable sample.
    */
  def rows(schema: StructType, columns: Seq[Int], most: Int): Iterator[InternalRow] = {
    val values = columns.map(c => of(schema(c).dataType))
    val combinations = values.map(v => BigInt(v.size)).product
    var seed = 42L
    def random(): Int = {
      seed = seed * 6364136223846793005L + 1442695040888963407L
      (seed >>> 33).toInt
    }
    Iterator.range(0, combinations.min(most).toInt).map { n =>
      val row = new GenericInternalRow(schema.size)
      var rest = n
      columns.zip(values).foreach { case (column, of) =>
        val at = if (combinations <= most) rest else if (n < of.size) n else random()
        row.update(column, of(at % of.size))
        rest /= of.size
      }
      row
    }
  }

  private def utf8(text: String): UTF8String = UTF8String.fromString(text)
  private def bytes(values: Int*): Array[Byte] = values.map(_.toByte).toArray
  private def array(values: Any*): GenericArrayData = new GenericArrayData(values.toArray[Any])
  private def map(keys: Any*)(values: Any*) = new ArrayBasedMapData(array(keys: _*), array(values: _*))

  private val ints = Vector(
    0,
    1,
    -1,
    2,
    3,
    7,
    31,
    33,
    64,
    100,
    -5,
    Int.MaxValue,
    Int.MinValue,
    Int.MaxValue - 1,
    Int.MinValue + 1
  )

  private val longs = Vector(
    0L,
    1L,
    -1L,
    2L,
    64L,
    Int.MaxValue.toLong,
    Int.MinValue.toLong,
    1L << 53,
    Long.MaxValue,
    Long.MinValue,
    Long.MaxValue - 1,
    Long.MinValue + 1,
    86400000000L
  )

  private val doubles = Vector(
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    2.5,
    -2.5,
    Double.NaN,
    java.lang.Double.longBitsToDouble(0xfff8000000000001L),
    Double.PositiveInfinity,
    Double.NegativeInfinity,
    Double.MaxValue,
    -Double.MaxValue,
    Double.MinPositiveValue,
    1e-300,
    1e19,
    -1e19,
    1e38,
    1e39
  )

  private def decimals(t: DecimalType): Vector[Decimal] = {
    val most = BigInt(10).pow(t.precision) - 1
    Vector(BigInt(0), BigInt(1), BigInt(-1), BigInt(7), BigInt(-13), most, -most, most / 2, most / 7)
      .map(unscaled => Decimal(BigDecimal(unscaled, t.scale), t.precision, t.scale))
  }

  // The first and last days that fit in a timestamp, the calendars' changes, the ends of four-digit years.
  private val days = ints ++ Vector(-719162, 2932896, 18321, -719529, -141428, 106751991, 106751992,
    -106751992)
  private val micros = longs ++ Vector(
    -62135596800000000L,
    253402300799999999L,
    -12219292800000000L,
    951782400000000L
  )

  private val malformed = Vector(
    bytes(0xff),
    bytes(0xc3),
    bytes(0x61, 0xe2, 0x82),
    bytes(0xed, 0xa0, 0x80),
    bytes(0xf0, 0x9f),
    bytes(0xc0, 0x80),
    bytes(0x80, 0x80),
    bytes(0xf8, 0x88, 0x80, 0x80, 0x80),
    bytes(0xfd),
    bytes(0x61, 0xff, 0x62)
  )

  private val binaries = Vector(bytes(), bytes(0), bytes(1, 2, 3), Array.fill(2000)(0x61.toByte)) ++ malformed

  private val words = Vector(
    "",
    " ",
    "a",
    "abc",
    "ABC",
    "a,b,,c",
    "ß",
    "İ",
    "é",
    "日本語",
    "\ud83d\ude00",
    "a\ud83d\ude00b",
    "\u0000",
    "%a_",
    "\\",
    "(",
    "[a",
    "$1",
    "\\1",
    "%zz",
    "%s",
    "YWJj",
    "true",
    "null",
    "day",
    "yyyy-MM-dd",
    "America/Los_Angeles",
    "http://a.b/c?x=1#f"
  )

  private val numbers = Vector(
    "0",
    "-1",
    "1.5",
    "NaN",
    "Infinity",
    "-Infinity",
    "2147483648",
    "9223372036854775808",
    "9" * 38,
    "9" * 39,
    "1e38",
    "1e-40",
    "1e400",
    "1e3000000",
    "1e-3000000",
    "1e1000000000",
    "1e-1000000000",
    "1e2147483647",
    "1e-2147483647"
  )

  private val moments = Vector(
    "2020-02-30",
    "2020-02-29",
    "+294247-01-10 04:00:54.775807",
    "-290308-12-21 19:59:05.224192",
    "+5881580-07-11",
    "99999999999-01-01",
    "2020-01-01T25:00:00Z",
    "2020-01-01 00:00:00 +18:30",
    "+99:99"
  )

  private val jsons = Vector(
    """{"a":1}""",
    """{"a":[1,2]}""",
    """{"a":[[[1]],[{"b":1e999999}]]}""",
    "[1,2",
    """{"a":""",
    "[[[[1]]]]",
    """{"a":"\ud83d"}""",
    """{"a":NaN}""",
    """{"a":""" + "[" * 990 + "1" + "]" * 990 + "}",
    """{"a":""" * 1100,
    "[" * 1100
  )

  // The first is longer than a regex gets that recurses once a character in a quarter of a task's stack, by whichever
  // of HotSpot's compilers, whose frames differ in size.
  private val long = Vector("x" * 8000, "(" * 2000, "1" * 1500, "\ud83d\ude00a" * 1500)

  private val strings: Vector[UTF8String] = (words ++ numbers ++ moments ++ jsons ++ long).map(utf8) ++
    malformed.map(b => UTF8String.fromBytes(b))

  private val intArrays = Vector(
    array(),
    array(null),
    array(1),
    array(1, null, 2),
    array(Int.MaxValue, Int.MinValue, 0, 0),
    array(Seq.fill(300)(7): _*),
    UnsafeArrayData.fromPrimitiveArray(Array(1, 2, 3))
  )

  private val structs = Vector(
    InternalRow(null, null),
    InternalRow(Int.MinValue, utf8("")),
    InternalRow(1, utf8("abc"))
  )
}
