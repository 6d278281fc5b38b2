package io.adaptivespark.filter.plan

import org.apache.spark.sql.catalyst.dsl.expressions._
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types.{IntegerType, StringType, StructType}
import org.scalatest.funsuite.AnyFunSuite

import io.adaptivespark.filter.order.PredicateShape

class ConjunctPlanSuite extends AnyFunSuite {
  private val a = Symbol("a").int
  private val b = Symbol("b").int
  private val s = Symbol("s").string
  private val throwing = EqualTo(Cast(s, a.dataType, None, EvalMode.ANSI), Literal(1))
  private val random = GreaterThan(Rand(Literal(1L)), Literal(0.5))

  private def plan(conjuncts: Seq[Expression], exact: Boolean = false, share: Boolean = true): ConjunctPlan =
    ConjunctPlan.of(conjuncts.reduceLeft(And(_, _)), exact, share, generated = exact)

  private def bounds(segments: Seq[Segment]): Seq[(Int, Int)] = segments.map(s => (s.from, s.until))

  private def expressions(p: ConjunctPlan): Seq[Expression] = p.conjuncts.map(_.expression)

  test("guards that a conjunct implies are dropped, others stay") {
    val kept = plan(Seq(IsNotNull(a), IsNotNull(b), a > 5, s.isNull))
    assert(expressions(kept) == Seq(IsNotNull(b), a > 5, s.isNull))
  }

  test("a guard below an OR is not implied") {
    assert(expressions(plan(Seq(IsNotNull(a), (a > 5) || (b > 5)))).contains(IsNotNull(a)))
  }

  test("a guard that a null-safe comparison does not imply stays") {
    assert(expressions(plan(Seq(IsNotNull(a), a <=> b))).contains(IsNotNull(a)))
  }

  test("all guards stay where a conjunct may throw") {
    assert(expressions(plan(Seq(IsNotNull(a), throwing, a > 5))) == Seq(IsNotNull(a), throwing, a > 5))
  }

  test("all guards stay where what may throw is itself a guard") {
    val cast = IsNotNull(Cast(s, a.dataType, None, EvalMode.ANSI))
    assert(expressions(plan(Seq(IsNotNull(a), cast, a > 5))) == Seq(IsNotNull(a), cast, a > 5))
  }

  test("generated code asks for the column of a guarded field where it is first used") {
    val p = Symbol("p").struct(new StructType().add("k", IntegerType))
    val field = GetStructField(p, 0)
    assert(WrittenOrder.of(And(And(IsNotNull(field), p.isNull), field > 1), generated = true) ==
      Seq(IsNotNull(p), p.isNull, field > 1, IsNotNull(field)))
    assert(WrittenOrder.of(And(IsNotNull(field), a > 1), generated = true) == Seq(a > 1, IsNotNull(field)))
  }

  test("a conjunct that is not deterministic is a segment of its own") {
    assert(bounds(plan(Seq(a > 1, b > 1, random, a < 9, b < 9)).segments) ==
      Seq((0, 2), (2, 3), (3, 5)))
  }

  test("exact: what may throw is a segment of its own; guarded: it is not") {
    val conjuncts = Seq(a > 1, throwing, b > 1)
    assert(bounds(plan(conjuncts, exact = true).segments) == Seq((0, 1), (1, 2), (2, 3)))
    assert(!plan(conjuncts, exact = true).movable)
    assert(bounds(plan(conjuncts).segments) == Seq((0, 3)) && plan(conjuncts).movable)
  }

  test("exact, outside generated code: a condition that may throw is evaluated as a whole, as Spark does") {
    val condition = And(And(a > 1, throwing), b > 1)
    assert(ConjunctPlan.of(
      condition,
      exact = true,
      shareSubexpressions = true,
      generated = false
    ).conjuncts ==
      Seq(Conjunct(Seq(condition))))
  }

  test("one conjunct has no order to choose") {
    assert(!plan(Seq(IsNotNull(a), a > 5)).movable)
  }

  test("conjuncts that share a subexpression move together where Spark evaluates it once") {
    val upper = Upper(s)
    val conjuncts = Seq(StartsWith(upper, Literal("A")), a > 1, EndsWith(upper, Literal("Z")))
    assert(plan(conjuncts).conjuncts.map(_.members) == Seq(Seq(conjuncts(0), conjuncts(2)), Seq(a > 1)))
    assert(plan(conjuncts, share = false).conjuncts.map(_.members.size) == Seq(1, 1, 1))
  }

  test("nothing moves where conjuncts that may throw share a subexpression that Spark evaluates once") {
    val number = Cast(s, a.dataType, None, EvalMode.ANSI)
    assert(!plan(Seq(number > 1, a > 1, number < 9)).movable)
    assert(plan(Seq(number > 1, a > 1, number < 9), share = false).movable)
  }

  test(
    "in generated code Spark's order has a guard right before the first conjunct that uses its column, and last where none does"
  ) {
    val conjuncts = Seq(IsNotNull(b), a > 1, random, IsNotNull(s), b > 2, IsNotNull(a))
    val condition = conjuncts.reduceLeft(And(_, _))
    assert(WrittenOrder.of(condition, generated = true) ==
      Seq(IsNotNull(a), a > 1, random, IsNotNull(b), b > 2, IsNotNull(s)))
    assert(WrittenOrder.of(condition, generated = false) == conjuncts)
  }

  test("columns and constants alone are not worth sharing") {
    assert(plan(Seq(a > 1, a < 9)).conjuncts.size == 2)
    assert(plan(Seq(Cast(Literal(3), StringType) === s, s > Cast(Literal(3), StringType))).conjuncts.size ==
      2)
  }

  test("a conjunct is taken apart where it is worth it: NOT goes to the leaves, AND and OR become nodes") {
    val like = Contains(s, Literal("x"))
    val nested = plan(Seq(a > 1, Not(And(like, Or(b > 2, Not(s.isNull))))))
    assert(expressions(nested) == Seq(a > 1, Not(like), Not(b > 2), s.isNull))
    assert(nested.segments.head.shape == PredicateShape(
      Vector(
        PredicateShape.Node(isConjunction = true, Vector(0, ~1)),
        PredicateShape.Node(isConjunction = false, Vector(1, ~2)),
        PredicateShape.Node(isConjunction = true, Vector(2, 3))
      ),
      4
    ))
  }

  test("a conjunct stays whole where it may throw, shares a subexpression, or only compares a few numbers") {
    val upper = Upper(s)
    Seq(
      Or(throwing, Contains(s, Literal("x"))),
      Or(StartsWith(upper, Literal("A")), EndsWith(upper, Literal("Z"))),
      Or(a > 1, b > 1)
    ).foreach(whole => assert(expressions(plan(Seq(whole, a <=> 3))).head == whole))
  }

  test("one conjunct with an OR worth ordering has an order to choose") {
    assert(plan(Seq(Or(Contains(s, Literal("x")), a > 1))).movable)
  }
}
