package io.adaptivespark.filter.safety

import scala.util.Try

import org.apache.spark.sql.Row
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.codegen.GenerateMutableProjection
import org.apache.spark.sql.catalyst.expressions.objects.StaticInvoke
import org.apache.spark.sql.catalyst.optimizer.NormalizeNaNAndZero
import org.apache.spark.sql.catalyst.plans.logical.{LeafNode, LogicalPlan, Project}
import org.apache.spark.sql.catalyst.util.CharVarcharCodegenUtils
import org.apache.spark.sql.types._
import org.scalatest.funsuite.AnyFunSuite

import io.adaptivespark.{CallsOfThisLine, SparkSuite}
import io.adaptivespark.filter.exec.AdversarialValues

/** Evaluates all that is regarded as never throwing on inputs made to break it. */
class NeverThrowsInputsSuite extends AnyFunSuite with SparkSuite {
  import NeverThrowsExamples._

  private lazy val table = spark.createDataFrame(spark.sparkContext.emptyRDD[Row], Schema)

  // Each value of each column is met; of their pairs, most.
  private val MostRows = 250
  // A quarter of what a task's thread has: an expression that recurses once a character does not get through.
  private val StackBytes = 256L << 10

  for ((ansi, zone) <- Seq(true -> "America/Los_Angeles", false -> "Asia/Tokyo"))
    test(s"no listed call throws on any input, ${if (ansi) "in" else "outside"} ANSI mode") {
      val calls = (if (ansi) Always else Always ++ WithoutAnsi).flatMap(_._2)
        .filter(call => isOfThisSpark(call) && isSafeHere(call, ansi))
      withConf("spark.sql.ansi.enabled" -> ansi.toString, "spark.sql.session.timeZone" -> zone) {
        val failures = calls.flatMap(call => failure(optimized(call)).map(f => s"$call: $f"))
        assert(failures.isEmpty, failures.mkString("\n", "\n", ""))
      }
    }

  test("nothing that only the planner writes throws on any input") {
    val s = column("s")
    val written = Seq(
      KnownFloatingPointNormalized(NormalizeNaNAndZero(column("d"))),
      AtLeastNNonNulls(1, Seq(column("d"), s)),
      KnownNotNull(Coalesce(Seq(column("i"), Literal(1)))),
      StaticInvoke(classOf[CharVarcharCodegenUtils], StringType, "readSidePadding", Seq(s, Literal(5)))
    )
    val failures = written.flatMap(e => failure(e).map(f => s"$e: $f"))
    assert(failures.isEmpty, failures.mkString("\n", "\n", ""))
  }

  test("the inputs break what is not listed") {
    withConf("spark.sql.ansi.enabled" -> "false") {
      val harmful = Seq(
        "s RLIKE '(?:a|x)*y'",
        "s RLIKE '(?x)(?:a|x) *y'",
        "s RLIKE '(?:a|x)\\\\Q\\\\E*y'",
        "add_months(dt, i)",
        "CAST(dt AS TIMESTAMP)",
        "trunc(dt, 'quarter')",
        "date_trunc('month', ts)",
        "try_mod(n, p)",
        "n div p",
        "element_at(ai, i)",
        "slice(ai, i, j)",
        "unbase64(s)",
        "decode(b, 'UTF-8')",
        "round(n, -3)",
        "months_between(ts, ts2)"
      ).filter(call => isOfThisSpark(call) && !CallsOfThisLine.safeAlone(call)) ++
        (Always ++ WithoutAnsi).flatMap(_._2).filter(throwsHere)
      val survivors = harmful.filter(call => evaluate(optimized(call)).isEmpty)
      assert(survivors.isEmpty)
      assert(harmful.filter(call => NeverThrows(optimized(call))).isEmpty)
    }
  }

  private def column(name: String): Expression = {
    val at = Schema.fieldIndex(name)
    BoundReference(at, Schema(at).dataType, nullable = true)
  }

  /** Why `expression` is not what the list says. */
  private def failure(expression: Expression): Option[String] =
    if (!NeverThrows(expression)) Some(s"may throw: $expression") else evaluate(expression)

  /** `call` over [[Schema]] as Spark's optimizer leaves it, its columns bound. */
  private def optimized(call: String): Expression = {
    val plan = table.selectExpr(s"$call AS call").queryExecution.optimizedPlan
    val names = plan.collectLeaves().head.output.map(a => a.exprId -> a.name).toMap
    inlined(plan).transform { case a: AttributeReference => column(names(a.exprId)) }
  }

  private def inlined(plan: LogicalPlan): Expression = plan match {
    case Project(Seq(call), _: LeafNode) => withoutAlias(call)
    case Project(Seq(call), Project(inner, _: LeafNode)) =>
      val columns = inner.collect { case alias: Alias => alias.exprId -> alias.child }.toMap
      withoutAlias(call).transform { case a: AttributeReference => columns.getOrElse(a.exprId, a) }
  }

  private def withoutAlias(expression: Expression): Expression = expression match {
    case Alias(child, _) => child
    case other => other
  }

  /** The first error of `expression`, interpreted and generated. */
  private def evaluate(expression: Expression): Option[String] = {
    val columns = expression.collect { case b: BoundReference => b.ordinal }.distinct
    val generated = GenerateMutableProjection.generate(Seq(expression))
    generated.initialize(0)
    var error: Option[String] = None
    val thread = new Thread(
      null,
      () =>
        error = AdversarialValues.rows(Schema, columns, MostRows).flatMap { row =>
          val error = thrown(expression.eval(row)).orElse(thrown(generated(row)))
          error.map(e => s"$e on ${describe(row, columns)}")
        }.take(1).toList.headOption,
      "never-throws",
      StackBytes
    )
    thread.start()
    thread.join()
    error
  }

  private def thrown(body: => Any): Option[Throwable] =
    try { body; None }
    catch { case e: Throwable => Some(e) }

  private def describe(row: InternalRow, columns: Seq[Int]): String = columns.map { c =>
    s"${Schema(c).name} = ${Try(row.get(c, Schema(c).dataType).toString.take(60)).getOrElse("null")}"
  }.mkString(", ")
}
