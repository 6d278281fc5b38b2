package io.adaptivespark.filter

import scala.util.Random

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.execution._
import org.apache.spark.sql.internal.SQLConf

import io.adaptivespark.Rate

/** Compares every form of the adaptive filter with Spark's filter, on random conditions over one table.
  *
  * @param scan
  *   gives the table as column batches
  * @param asRows
  *   what gives it as rows
  */
final class FilterForms(
    scan: SparkPlan,
    asRows: SparkPlan,
    tableRows: Int,
    runner: PlanRunner,
    random: Random
) {
  private val exactly = random.nextBoolean()
  // Of most trees the ids only: to write whole rows is more code than most conditions are.
  private val whole = random.nextInt(8) == 0

  private def settings(exact: Boolean) = FilterSettings(
    collectRate = Rate(Some(1 + random.nextInt(3))),
    calculateRate = Rate(Some(10)),
    momentum = 0.3,
    policy = if (random.nextBoolean()) "rank" else "conditional",
    learnedOrder = random.nextBoolean(),
    exact,
    verbose = false,
    queryTag = "",
    runId = "",
    prior = ""
  )

  /** What is wrong with the forms on `condition`; nothing if they are right. */
  def faults(condition: Expression): Seq[String] = {
    val exact = exactly && FilterForms.reorders(condition, exact = true)
    val stock = FilterExec(condition, asRows)
    val (generated, interpreted) = (runGenerated(stock), runner.interpreted(stock))
    val columnar = AdaptiveColumnarFilterExec(condition, settings(exact), scan)
    val rows = AdaptiveFilterExec(condition, settings(exact), asRows)
    val outside = AdaptiveFilterExec(condition, settings(exact), asRows)
    Seq(
      ("batches", columnar, runGenerated(columnar), generated),
      ("rows", rows, runGenerated(rows), generated),
      ("interpreted", outside, runner.interpreted(outside), interpreted)
    ).flatMap { case (form, filter, found, expected) =>
      val same = found.sameAs(expected) || !exact && !expected.succeeds
      val fault =
        if (!same) Some(s"$expected became $found")
        else Option.when(found.succeeds)(miscount(filter, found)).flatten
      fault.map(what => s"$form, exact $exact, ${filter.settings.policy}: $what: ${condition.sql}")
    }
  }

  private def runGenerated(filter: SparkPlan): Outcome =
    runner.generated(if (whole) filter else ProjectExec(filter.output.take(1), filter))

  private def miscount(filter: AdaptiveFilter, found: Outcome): Option[String] = {
    val counted = Seq("numInputRows", "numOutputRows").map(filter.metrics(_).value)
    Option.unless(counted == Seq(tableRows, found.rows.size))(s"it counted ${counted.mkString(" to ")} rows")
  }
}

object FilterForms {

  /** Whether `condition` has an order to choose, as [[ReplaceFilter]] asks it. */
  def reorders(condition: Expression, exact: Boolean): Boolean =
    ConjunctPlan.of(condition, exact, FilterShim.sharesSubexpressions(SQLConf.get), generated = true).movable
}
