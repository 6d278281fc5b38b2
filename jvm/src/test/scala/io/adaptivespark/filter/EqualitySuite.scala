package io.adaptivespark.filter

import java.nio.file.Files
import java.util.concurrent.{Callable, Executors}

import scala.jdk.CollectionConverters._
import scala.util.{Random, Try}

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.plans.logical.Filter
import org.apache.spark.sql.execution._
import org.apache.spark.sql.internal.SQLConf
import org.scalatest.funsuite.AnyFunSuite

import io.adaptivespark.{Rate, SparkSuite}

/** Random predicate trees: the three forms keep the rows of Spark's filter, and raise no error that it does not; under `exact` also every one.
  *
  * `EQUALITY_TREES` says how many for each of ANSI on and off.
  */
class EqualitySuite extends AnyFunSuite with SparkSuite {
  private val trees = sys.env.getOrElse("EQUALITY_TREES", "150").toInt
  private val threads = 2

  private lazy val table: DataFrame = {
    val path = Files.createTempDirectory("equality").resolve("t").toString
    spark.range(0, 300, 1, 1).selectExpr(RandomCondition.table: _*).write.parquet(path)
    spark.read.parquet(path)
  }
  private lazy val scan = InputAdapter(table.queryExecution.sparkPlan.collectFirst {
    case s: FileSourceScanExec => s
  }.get)

  private def settings(random: Random, exact: Boolean) = FilterSettings(
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

  /** The ids of the rows that pass, or what the plan raises. */
  private def ids(plan: SparkPlan, generated: Boolean): Either[Throwable, Seq[Long]] = {
    val whole = if (generated) WholeStageCodegenExec(plan)(codegenStageId = 1) else plan
    Try(whole.execute().map(_.getLong(0)).collect().toSeq.sorted).toEither
  }

  /** What is wrong with the forms on one condition; nothing if they are right. */
  private def faults(text: String, condition: Expression, random: Random): Seq[String] = {
    val rows = ColumnarToRowExec(scan)
    val expected = Map(
      true -> ids(FilterExec(condition, rows), generated = true),
      false -> ids(FilterExec(condition, rows), generated = false)
    )
    for {
      exact <- Seq(random.nextBoolean())
      if isReplaced(condition, exact)
      (name, plan, generated) <- Seq(
        ("batches", AdaptiveColumnarFilterExec(condition, settings(random, exact), scan), true),
        ("rows", AdaptiveFilterExec(condition, settings(random, exact), rows), true),
        ("interpreted", AdaptiveFilterExec(condition, settings(random, exact), rows), false)
      )
      found = ids(plan, generated)
      if found.toOption != expected(generated).toOption && (exact || expected(generated).isRight)
    } yield s"$name, exact $exact: ${shown(expected(generated))} became ${shown(found)}: $text"
  }

  /** Whether the filter would not be left to Spark. */
  private def isReplaced(condition: Expression, exact: Boolean): Boolean =
    ConjunctPlan.of(condition, exact, FilterShim.sharesSubexpressions(SQLConf.get), generated = true).movable

  private def shown(ids: Either[Throwable, Seq[Long]]): String =
    ids.fold(_.toString.take(500), _.mkString(" "))

  for (ansi <- Seq("true", "false"))
    test(s"random trees keep their rows in every form (ANSI $ansi)") {
      withConf("spark.sql.ansi.enabled" -> ansi, "spark.sql.codegen.factoryMode" -> "FALLBACK") {
        scan
        val conf = spark.sessionState.conf
        val pool = Executors.newFixedThreadPool(threads)
        try {
          val parts = (1 to threads).map { part =>
            new Callable[Seq[String]] {
              override def call(): Seq[String] =
                SQLConf.withExistingConf(conf)(run(seed = part + 10 * ansi.length))
            }
          }
          val found = pool.invokeAll(parts.asJava).asScala.flatMap(_.get)
          assert(found.isEmpty, found.take(5).mkString("\n"))
        } finally pool.shutdownNow()
      }
    }

  private def run(seed: Int): Seq[String] = {
    org.apache.spark.sql.classic.SparkSession.setActiveSession(
      spark.asInstanceOf[org.apache.spark.sql.classic.SparkSession]
    )
    val (conditions, random) = (new RandomCondition(seed), new Random(seed))
    Iterator.continually(conditions.next()).flatMap { text =>
      Try(table.filter(text).queryExecution.optimizedPlan).toOption.toSeq
        .flatMap(_.collectFirst { case Filter(condition, _) => (text, condition) })
    }.take(trees / threads).flatMap { case (text, condition) => faults(text, condition, random) }.toSeq
  }
}
