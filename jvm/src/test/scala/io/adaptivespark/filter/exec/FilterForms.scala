package io.adaptivespark.filter.exec

import scala.util.{Failure, Random, Success, Try}

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.expressions.codegen.CodegenFallback
import org.apache.spark.sql.execution._
import org.apache.spark.sql.internal.SQLConf

import io.adaptivespark.conf.{FilterSettings, Rate}
import io.adaptivespark.filter.plan.ConjunctPlan
import io.adaptivespark.shim.SharedSubexpressionsShim

/** Compares every form of the adaptive filter with Spark's filter, over one table.
  *
  * @param scan
  *   gives the table as column batches
  * @param rows
  *   gives it as rows
  */
final class FilterForms(
    scan: SparkPlan,
    rows: SparkPlan,
    tableSize: Int,
    runner: PlanRunner,
    random: Random
) {

  /** What is wrong with the forms on `condition`; nothing if they are right. */
  def faults(condition: Expression): Seq[String] = {
    val exact = random.nextBoolean() && FilterForms.mayReplace(condition, exact = true)
    // Of most trees the ids only: to write whole rows is more code than most conditions are.
    val whole = random.nextInt(8) == 0
    def shown(filter: SparkPlan) = if (whole) filter else ProjectExec(filter.output.take(1), filter)
    val stock = FilterExec(condition, rows)
    val interpreted, generated = AdaptiveFilterExec(condition, settings(exact), rows)
    val columnar = AdaptiveColumnarFilterExec(condition, settings(exact), scan)
    val found = Try {
      // First, so that what it learns is there for the generated forms.
      val outside = Seq(stock, interpreted).map(runner.interpreted)
      val within = runner.generated(Seq(stock, generated, columnar).map(shown))
      Seq(
        difference(interpreted, outside.head, outside(1)).map(what => s"interpreted: $what"),
        difference(generated, within.head, within(1)).map(what => s"rows: $what"),
        difference(columnar, within.head, within(2)).map(what => s"batches: $what")
      ).flatten
    } match {
      case Success(differences) => differences
      case Failure(error) => Seq(error.toString.take(FilterForms.LongestError))
    }
    found.map(what => s"$what; ${if (exact) "exact" else "guarded"}: ${condition.sql}")
  }

  private def settings(exact: Boolean) = FilterSettings(
    collectRate = Rate(Some(1 + random.nextInt(3))),
    calculateRate = Rate(Some(10)),
    momentum = 0.3,
    policy = if (random.nextBoolean()) "rank" else "conditional",
    learnedOrder = random.nextBoolean(),
    exact,
    verbose = false,
    queryTag = "",
    runId = ""
  )

  private def difference(filter: AdaptiveFilter, expected: Outcome, found: Outcome): Option[String] = {
    val mayDiffer = !filter.settings.exact && !expected.succeeds
    val counted = Seq("numInputRows", "numOutputRows").map(filter.metrics(_).value)
    if (!mayDiffer && !found.sameAs(expected)) Some(s"$expected became $found by ${filter.settings.policy}")
    else if (found.succeeds && counted != Seq(tableSize, found.rows.size))
      Some(s"counted ${counted.mkString(" in, ")} out, not $tableSize and ${found.rows.size}")
    else None
  }
}

object FilterForms {
  private val LongestError = 500

  /** Whether [[ReplaceFilter]] and [[UseColumnarFilter]] would, given columns to be read. */
  def mayReplace(condition: Expression, exact: Boolean): Boolean =
    !condition.exists(_.isInstanceOf[CodegenFallback]) &&
      ConjunctPlan.of(
        condition,
        exact,
        SharedSubexpressionsShim.sharesSubexpressions(SQLConf.get),
        generated = true
      ).movable
}
