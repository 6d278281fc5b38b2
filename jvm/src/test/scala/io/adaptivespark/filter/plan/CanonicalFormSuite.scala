package io.adaptivespark.filter.plan

import scala.util.{Random, Try}

import org.apache.spark.sql.{DataFrame, SparkSession}
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.Filter
import org.apache.spark.sql.catalyst.util.quoteIfNeeded
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String
import org.scalatest.funsuite.AnyFunSuite

import io.adaptivespark.SparkSuite
import io.adaptivespark.filter.exec.{AdaptiveFilter, RandomCondition}
import io.adaptivespark.filter.safety.ExtremeValues

class CanonicalFormSuite extends AnyFunSuite with SparkSuite with PredicateHelper {
  private lazy val session: SparkSession = {
    for (schema <- Seq("dev", "prod")) {
      spark.sql(s"CREATE DATABASE $schema")
      for (table <- Seq("orders", "refunds"))
        spark.sql(
          s"""CREATE TABLE $schema.$table (id BIGINT, amount INT, price DECIMAL(10,2), day DATE, at TIMESTAMP, s STRING, flag BOOLEAN,
             |  `2024_sales` INT, `2025_sales` INT, `a: b` INT, list ARRAY<INT>, part STRUCT<a: INT, b: INT>) USING parquet""".stripMargin
        )
      spark.range(1).selectExpr(ExtremeValues.selected: _*).write.saveAsTable(s"$schema.extreme")
    }
    spark
  }

  /** The forms of the predicates of all filters of an optimized query but for the guards against null that Spark adds.
    */
  private def forms(query: DataFrame): IndexedSeq[CanonicalForm] =
    CanonicalForm.of(query.queryExecution.optimizedPlan.collect { case Filter(condition, _) =>
      splitConjunctivePredicates(condition).filterNot(_.isInstanceOf[IsNotNull])
    }.flatten)

  private def forms(condition: String, table: String = "dev.orders"): IndexedSeq[CanonicalForm] =
    forms(session.sql(s"SELECT * FROM $table WHERE $condition"))

  private def shapes(condition: String, table: String = "dev.orders"): Seq[String] =
    forms(condition, table).map(_.shape)

  private def days(size: Int): String = (1 to size).map(day => f"DATE '2026-01-$day%02d'").mkString(
    "day IN (",
    ", ",
    ")"
  )

  for (
    (shape, conditions) <- Seq(
      "(amount > ?)" -> Seq("amount > 90", "amount > -5", "amount > 5 * 3", "amount > CAST('-7' AS INT)"),
      "(price > ?)" -> Seq("price > 1.25BD", "price > -3.50BD", "price > CAST(12.5 AS DECIMAL(10,2))"),
      "(day >= ?)" -> Seq(
        "day >= '2026-01-01'",
        "day >= DATE '2026-11-25'",
        "day >= current_date() - INTERVAL '3' DAY",
        "day >= date_add(DATE '2026-01-01', -5)"
      ),
      "(at < ?)" -> Seq("at < TIMESTAMP '2026-01-01 00:00:00'", "at < timestamp_seconds(5)"),
      "(day = ?)" ->
        Seq("day = DATE '2026-01-01'", days(1), days(3), days(25), "day IN (DATE '2026-01-01', NULL)"),
      "(amount = ?)" ->
        Seq("amount IN (1, -2)", "amount IN (1)", s"amount IN (${(1 to 500).mkString(", ")})"),
      "(NOT (s = ?))" -> Seq("s <> 'a'", "s NOT IN ('a', 'it\\'s', ')')"),
      "s LIKE ?" -> Seq("s LIKE 'a%b%c'", "s LIKE 'it\\'s%?%x'"),
      "contains(s, ?)" -> Seq("s LIKE '%a%'", "contains(s, '`x` > 1')"),
      "RLIKE(s, ?)" -> Seq("s RLIKE '^[0-9]+$'", "s RLIKE 'a|b'"),
      "((amount = ?) OR (price < ?))" ->
        Seq("amount = 1 OR price < 2.00BD", "amount IN (1, 2) OR price < -7.00BD"),
      "((amount % ?) = ?)" -> Seq("amount % 7 = 3", "amount % 11 = -1"),
      s"(${quoteIfNeeded("2024_sales")} > ?)" -> Seq("`2024_sales` > 2024", "`2024_sales` > 1"),
      s"(${quoteIfNeeded("2025_sales")} > ?)" -> Seq("`2025_sales` > 2024"),
      "(`a: b` > ?)" -> Seq("`a: b` > 1", "`a: b` > 2"),
      "(part.`a` > ?)" -> Seq("part.a > 1", "part.a > -1"),
      "(part.`b` > ?)" -> Seq("part.b > 1"),
      "(list[?] > ?)" -> Seq("list[0] > 1", "list[3] > 2")
    )
  )
    test(s"$shape, whatever the constants, in any schema") {
      for (condition <- conditions; schema <- Seq("dev", "prod")) {
        val Seq(found) = forms(condition, s"$schema.orders")
        assert(found.shape == s"orders: $shape" && found.relative == shape, condition)
      }
    }

  test("what is no constant stays, and so do the differences between columns that are in a list") {
    assert(shapes("amount IN (5, id, 7)") == Seq("orders: (CAST(amount AS BIGINT) IN (?, id))"))
    assert(shapes("rand(5) < 0.5") == Seq("(rand(?) < ?)"))
    assert(shapes("CASE WHEN flag THEN amount ELSE 5 END > 3") ==
      Seq("orders: CASE WHEN flag THEN (amount > ?) ELSE ? END"))
  }

  test("variables of functions are told from each other by their place, not by Spark's names for them") {
    val Seq(one) = shapes("exists(list, x -> x > 5 AND x < amount)")
    val Seq(other) = shapes("exists(list, y -> y > 7 AND y < amount)", "prod.orders")
    assert(one == other && one.contains("lambda") && !one.contains("5"))
    assert(shapes("aggregate(list, 0, (x, y) -> x - y) > 1") !=
      shapes("aggregate(list, 0, (x, y) -> y - x) > 1"))
  }

  test(
    "a shape that occurs again in a filter has a number, and the exact form tells them apart in any order"
  ) {
    val written = forms("s LIKE 'a%b%c' AND s LIKE 'd%e%f'")
    assert(written.map(_.shape) == Seq("orders: s LIKE ?", "orders: s LIKE ? #2"))
    val swapped = forms("s LIKE 'd%e%f' AND s LIKE 'a%b%c'", "prod.orders")
    assert(swapped.map(_.shape) == written.map(_.shape))
    assert(swapped.map(_.exact) == written.map(_.exact).reverse)
  }

  test("the exact form has the constants, those of long lists too") {
    def exact(condition: String) = forms(condition).map(_.exact)
    for (
      (one, other) <- Seq(
        "amount > 1" -> "amount > 2",
        "amount IN (1, 2)" -> "amount IN (1, 3)",
        s"amount IN (${(1 to 20).mkString(", ")})" -> s"amount IN (${(2 to 21).mkString(", ")})"
      )
    ) {
      assert(exact(one) == exact(one) && exact(one) != exact(other), one)
      assert(shapes(one) == shapes(other), one)
    }
  }

  test("columns of one name are told apart by their relation, and within a predicate by their place") {
    assert(shapes("amount > 5", "dev.refunds") == Seq("refunds: (amount > ?)"))
    assert(shapes("o.amount > 5", "dev.orders o") == Seq("o: (amount > ?)"))
    def joined(schema: String, condition: String) = forms(session.sql(
      s"SELECT * FROM $schema.orders LEFT JOIN $schema.refunds ON orders.id = refunds.id WHERE $condition"
    )).map(_.shape)
    val less = "coalesce(refunds.amount, 0) < orders.amount"
    assert(joined("dev", less) == Seq("refunds, orders: (coalesce(amount, ?) < amount#2)"))
    assert(joined("prod", less) == joined("dev", less))
    assert(joined("dev", "refunds.amount IS NULL AND orders.amount > 1").toSet ==
      Set("refunds: (amount IS NULL)", "orders: (amount > ?)"))
  }

  test(
    "one query that reads tables of one name from two schemas tells their columns apart within a predicate"
  ) {
    val Seq(shape) = forms(session.sql(
      """SELECT * FROM dev.orders a LEFT JOIN prod.orders b ON a.id = b.id
        |WHERE coalesce(b.amount, 0) < a.amount""".stripMargin
    )).map(_.shape)
    assert(shape == "b, a: (coalesce(amount, ?) < amount#2)")
  }

  test("the value of a subquery is a constant, and the number of its plan is none of the shape") {
    val query = "SELECT * FROM dev.orders WHERE amount > (SELECT max(amount) FROM dev.refunds)"
    assert(forms(session.sql(query)).map(_.shape).head == "orders: (amount > scalarsubquery())")
    val physical = Seq.fill(2)(session.sql(query)).map { query =>
      CanonicalForm.of(executed(query).collect { case filter: AdaptiveFilter => filter.condition }.flatMap(
        splitConjunctivePredicates
      ))
    }
    assert(physical.distinct.size == 1)
  }

  test("a name that the session hides is hidden, and what is alike without it has a number") {
    withConf("spark.sql.redaction.string.regex" -> "202\\d") {
      val hidden = forms("`2024_sales` > 1 AND `2025_sales` > 1")
      val name = quoteIfNeeded("2024_sales").replace("2024", "*********(redacted)")
      val shape = s"orders: ($name > ?)"
      assert(hidden.map(_.shape) == Seq(shape, s"$shape #2"))
    }
  }

  test("a very long shape is cut, and ends in a hash that tells it from others") {
    def long(last: String) = s"concat_ws('-', ${Seq.fill(1000)("s, amount").mkString(", ")}, $last) = 'x'"
    val Seq(one, other) = Seq("id", "day").flatMap(last => shapes(long(last)))
    assert(one.length == 2000 && other.length == 2000 && one.take(1900) == other.take(1900) && one != other)
    assert(shapes(long("id"), "prod.orders") == Seq(one))
  }

  test("shapes of random trees are the same in another schema and with other constants") {
    val texts = new RandomCondition(new Random(7))
    val trees = Seq.fill(400)(texts.next()).flatMap { text =>
      withConf("spark.sql.ansi.enabled" -> "false") {
        Seq("dev", "prod").flatMap { schema =>
          Try(session.sql(s"SELECT * FROM $schema.extreme WHERE $text").queryExecution.analyzed).toOption
        } match {
          case plans @ Seq(_, _) => Some(text -> plans.map(_.collect { case Filter(condition, _) =>
              condition
            }.head))
          case _ => None
        }
      }
    }
    assert(trees.size > 300)
    for ((text, Seq(dev, prod)) <- trees) {
      def shapesOf(condition: Expression) =
        CanonicalForm.of(splitConjunctivePredicates(condition)).map(_.shape)
      val expected = shapesOf(dev)
      assert(shapesOf(prod) == expected, text)
      assert(
        shapesOf(dev.transform { case literal: Literal => CanonicalFormSuite.other(literal) }) == expected,
        text
      )
    }
  }
}

private object CanonicalFormSuite {

  /** A literal of the type with another value, where the type has some that are easily made. */
  def other(literal: Literal): Literal = (literal.value, literal.dataType) match {
    case (value: Int, of @ (IntegerType | DateType)) => Literal(value + 1000, of)
    case (value: Long, of) => Literal(value - 5000, of)
    case (value: Double, DoubleType) => Literal(-value - 1)
    case (value: UTF8String, of: StringType) => Literal(UTF8String.fromString(s"$value' AND 9"), of)
    case (value: Boolean, BooleanType) => Literal(!value)
    case _ => literal
  }
}
