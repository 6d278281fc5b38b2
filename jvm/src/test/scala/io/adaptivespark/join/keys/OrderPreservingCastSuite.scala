package io.adaptivespark.join.keys

import org.apache.spark.sql.catalyst.expressions.{Add, AttributeReference, Cast, Expression, Literal}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types._
import org.scalatest.funsuite.AnyFunSuite

class OrderPreservingCastSuite extends AnyFunSuite {
  private def column(dataType: DataType) = AttributeReference("c", dataType)()
  private def follows(key: Expression) = OrderPreservingCast.unapply(key).isDefined

  private def decimal(value: String, precision: Int, scale: Int) =
    Literal(Decimal(new java.math.BigDecimal(value), precision, scale), DecimalType(precision, scale))

  test("a column is itself") {
    val c = column(StringType)
    assert(OrderPreservingCast.unapply(c).contains(c))
  }

  for (
    (from, to, keeps) <- Seq[(DataType, DataType, Boolean)](
      (ByteType, LongType, true),
      (IntegerType, LongType, true),
      (LongType, IntegerType, false),
      (IntegerType, DecimalType(10, 0), true),
      (IntegerType, DecimalType(12, 3), false),
      (LongType, DecimalType(20, 0), true),
      (LongType, DecimalType(18, 0), false),
      (DecimalType(7, 2), DecimalType(9, 3), true),
      (DecimalType(7, 2), DecimalType(9, 1), false),
      (DecimalType(7, 2), DecimalType(7, 3), false),
      (IntegerType, DoubleType, false),
      (LongType, DoubleType, false),
      (FloatType, DoubleType, false),
      (DateType, TimestampType, false),
      (TimestampType, TimestampNTZType, false),
      (IntegerType, StringType, false),
      (StringType, IntegerType, false)
    )
  ) test(s"${from.sql} as ${to.sql} is ${if (keeps) "" else "not "}followed") {
    assert(follows(Cast(column(from), to)) == keeps)
  }

  test("an integer that a decimal of a negative scale rounds is not followed") {
    val conf = new SQLConf
    conf.setConf(SQLConf.LEGACY_ALLOW_NEGATIVE_SCALE_OF_DECIMAL_ENABLED, true)
    SQLConf.withExistingConf(conf)(assert(!follows(Cast(column(IntegerType), DecimalType(17, -2)))))
  }

  test("casts of casts are followed, arithmetic is not") {
    assert(follows(Cast(Cast(column(ByteType), IntegerType), LongType)))
    assert(!follows(Add(column(LongType), Literal(1L))))
  }

  test("keys outside the column's type are cut off") {
    assert(OrderPreservingCast.inverse(
      Literal(-5L),
      Literal(1L << 40),
      IntegerType
    ).contains((Literal(-5), Literal(Int.MaxValue))))
    assert(OrderPreservingCast.inverse(Literal(1L << 40), Literal(1L << 41), IntegerType).isEmpty)
    assert(OrderPreservingCast.inverse(Literal(300), Literal(400), ByteType).isEmpty)
  }

  test("keys between the column's values are none of them") {
    assert(OrderPreservingCast.inverse(decimal("1.5", 12, 1), decimal("1.5", 12, 1), IntegerType).isEmpty)
    assert(OrderPreservingCast.inverse(decimal("1.5", 12, 1), decimal("3.9", 12, 1), IntegerType)
      .contains((Literal(2), Literal(3))))
    assert(OrderPreservingCast.inverse(decimal("-1.5", 12, 1), decimal("0", 12, 1), LongType)
      .contains((Literal(-1L), Literal(0L))))
    assert(OrderPreservingCast.inverse(
      decimal("1.001", 9, 3),
      decimal("1.009", 9, 3),
      DecimalType(7, 2)
    ).isEmpty)
    assert(OrderPreservingCast.inverse(decimal("1.001", 9, 3), decimal("1.020", 9, 3), DecimalType(7, 2))
      .contains((decimal("1.01", 7, 2), decimal("1.02", 7, 2))))
  }

  test("decimals beyond the column's precision are cut off") {
    assert(OrderPreservingCast.inverse(decimal("0", 20, 2), decimal("99999999", 20, 2), DecimalType(7, 2))
      .contains((decimal("0", 7, 2), decimal("99999.99", 7, 2))))
  }

  test("a column of the key's own type takes the keys as they are") {
    assert(OrderPreservingCast.inverse(
      Literal("a"),
      Literal("b"),
      StringType
    ).contains((Literal("a"), Literal("b"))))
  }
}
