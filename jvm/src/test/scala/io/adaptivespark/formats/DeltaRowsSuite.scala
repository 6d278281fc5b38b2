package io.adaptivespark.formats

import scala.util.{Failure, Success, Try}

import org.apache.spark.sql.execution.SparkPlan
import org.scalatest.funsuite.AnyFunSuite

import io.adaptivespark.{Forms, SparkSuite}
import io.adaptivespark.filter.exec.AdaptiveFilter
import io.adaptivespark.join.exec.DynamicFilterExec

/** Tables of Delta Lake have the same rows, versions and errors with the extension as without.
  *
  * Each kind of table is made, changed and read by the same statements, once without the extension and once with it.
  */
class DeltaRowsSuite extends AnyFunSuite with DeltaSuite {
  import DeltaRowsSuite._

  override protected def staticConf: Map[String, String] =
    super.staticConf ++ Map(
      "spark.sql.dynamicFilter.minProbeSize" -> "0",
      // It would skip the partitions that keys skip.
      "spark.sql.optimizer.dynamicPartitionPruning.enabled" -> "false",
      "spark.sql.shuffle.partitions" -> "1"
    )

  for ((kind, at) <- DeltaTables.Kinds.zipWithIndex)
    test(
      s"${kind.name}: rows, versions and errors are those of stock Spark",
      Forms.unless(at < FewKinds): _*
    ) {
      val Seq(stock, ours) =
        Seq(false -> DeltaTables.Readers.map(SparkSuite.withoutHints), true -> DeltaTables.Readers).map {
          case (on, readers) =>
            withConf(SparkSuite.Features.map(_ -> on.toString): _*)(ran(kind, s"with_${on}_$at", readers))
        }
      assume(stock.head.outcome.isRight, s"This Delta Lake has no table of this kind: ${stock.head.outcome}")
      for ((before, after) <- stock.zip(ours)) {
        assert(after.outcome == before.outcome, s"\nby ${after.statement}")
        assert(after.rows == before.rows, s"\nafter ${after.statement}")
      }
      assert(stock.map(_.filters).distinct == Seq(Filters(0, 0)))
      val Filters(adaptiveFilters, dynamicFilters) = ours.map(_.filters).reduce(_ + _)
      info(s"$adaptiveFilters adaptive and $dynamicFilters dynamic filters in ${ours.size} statements")
      assert(adaptiveFilters > 0)
      assert(dynamicFilters > 0)
    }

  /** The statements in a database of their own, in order, and what is read after each. */
  private def ran(kind: DeltaTables.Kind, database: String, readers: Seq[String]): Seq[Ran] = {
    spark.sql(s"CREATE DATABASE $database")
    spark.sql(s"USE $database")
    try {
      val made = outcome(kind.made)
      if (made.isLeft) Seq(Ran(kind.made, made, Nil, Filters(0, 0)))
      else {
        DeltaTables.Others.foreach(spark.sql(_))
        val filled = kind.filled.map(done(_, Seq(Whole)))
        val changed = changes.map(done(_, Seq(Whole)))
        (filled :+ done("VALUES ('filled')", readers)) ++
          (changed :+ done("VALUES ('changed')", readers)) :+ history
      }
    } finally {
      spark.sql("USE default")
      spark.sql(s"DROP DATABASE $database CASCADE")
    }
  }

  private def done(statement: String, readers: Seq[String]): Ran = {
    val ended = outcome(statement)
    val (rows, filters) = readers.map(read).unzip
    Ran(statement, ended, rows, filters.reduce(_ + _))
  }

  private def outcome(statement: String): Either[String, Seq[String]] =
    Try(sorted(spark.sql(statement))) match {
      case Success(rows) => Right(rows)
      case Failure(error) => Left(condition(error))
    }

  private def read(query: String): (Seq[String], Filters) =
    Try(spark.sql(query)).flatMap(asked =>
      Try(sorted(asked) -> filters(asked.queryExecution.executedPlan))
    ) match {
      case Success(found) => found
      case Failure(error) => (Seq(condition(error)), Filters(0, 0))
    }

  private def filters(plan: SparkPlan): Filters = {
    val found = collectWithSubqueries(plan) {
      case _: AdaptiveFilter => Filters(1, 0)
      case _: DynamicFilterExec => Filters(0, 1)
    }
    found.fold(Filters(0, 0))(_ + _)
  }

  /** What each version did, in rows and files: bytes and times differ by chance. */
  private def history: Ran = {
    val versions =
      spark.sql("DESCRIBE HISTORY t").select("version", "operation", "operationMetrics").collect()
    val rows = versions.toSeq.map { row =>
      val counts = row.getMap[String, String](2).toSeq.filter { case (name, _) =>
        name.startsWith("num") && !name.endsWith("Bytes")
      }
      s"${row.getLong(0)} ${row.getString(1)} ${counts.sorted.mkString(", ")}"
    }
    Ran("DESCRIBE HISTORY t", Right(rows), Nil, Filters(0, 0))
  }
}

private object DeltaRowsSuite {

  // What `make test` has of the kinds and of the changes.
  private val FewKinds = 1
  private val FewChanges = 5

  val changes = if (Forms.all) DeltaTables.Changes else DeltaTables.Changes.take(FewChanges)

  val Whole = "SELECT * FROM t"

  final case class Filters(adaptive: Int, dynamic: Int) {
    def +(other: Filters): Filters = Filters(adaptive + other.adaptive, dynamic + other.dynamic)
  }

  /** @param outcome
    *   its rows, or its error's condition
    * @param rows
    *   what each reader finds after it
    */
  final case class Ran(
      statement: String,
      outcome: Either[String, Seq[String]],
      rows: Seq[Seq[String]],
      filters: Filters
  )

  /** The class of an error and, where it has one, its condition: texts name paths and databases. */
  def condition(error: Throwable): String = {
    val named = "\\[([A-Z0-9_.]+)\\]".r.findFirstMatchIn(String.valueOf(error.getMessage)).map(_.group(1))
    named.getOrElse(error.getClass.getName)
  }
}
