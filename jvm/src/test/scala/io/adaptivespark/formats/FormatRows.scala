package io.adaptivespark.formats

import scala.util.{Failure, Success, Try}

import org.apache.spark.sql.execution.SparkPlan
import org.scalatest.funsuite.AnyFunSuite

import io.adaptivespark.{Forms, SparkSuite}
import io.adaptivespark.filter.exec.AdaptiveFilter
import io.adaptivespark.formats.FormatTables.Kind
import io.adaptivespark.join.exec.DynamicFilterExec

/** Tables of a format have the same rows, versions and errors with the extension as without.
  *
  * Each kind of table is made, changed and read by the same statements, once without the extension and once with it.
  */
abstract class FormatRows(override protected val tables: FormatTables)
    extends AnyFunSuite
    with FormatOutcomes {
  import FormatRows._

  override protected def staticConf: Map[String, String] =
    super.staticConf ++ Map(
      "spark.sql.dynamicFilter.minProbeSize" -> "0",
      // It would skip the partitions that keys skip.
      "spark.sql.optimizer.dynamicPartitionPruning.enabled" -> "false",
      "spark.sql.shuffle.partitions" -> "1"
    )

  for ((kind, at) <- tables.kinds.zipWithIndex)
    test(
      s"${kind.name}: rows, versions and errors are those of stock Spark",
      Forms.unless(at < FewKinds): _*
    ) {
      val Seq(stock, ours) =
        Seq(false -> tables.readers.map(SparkSuite.withoutHints), true -> tables.readers).map {
          case (on, readers) =>
            working(on)(ran(kind, s"with_${on}_$at", readers))
        }
      assume(stock.head.outcome.isRight, s"This release has no table of this kind: ${stock.head.outcome}")
      val (filled, rest) = stock.splitAt(kind.filled.size)
      assert(filled.filter(_.outcome.isLeft) == Nil)
      assert(kind.refused.isEmpty || rest.head.outcome.isLeft)
      for ((before, after) <- stock.zip(ours)) {
        assert(after.outcome == before.outcome, s"\nby ${after.statement}")
        assert(after.rows == before.rows, s"\nafter ${after.statement}")
      }
      assert(stock.map(_.filters).distinct == Seq(Filters(0, 0)))
      val Filters(adaptiveFilters, dynamicFilters) = ours.map(_.filters).reduce(_ + _)
      info(s"$adaptiveFilters adaptive and $dynamicFilters dynamic filters in ${ours.size} statements")
      assert(adaptiveFilters > 0 && dynamicFilters > 0)
    }

  /** The statements in a database of their own, in order, and what is read after each. */
  private def ran(kind: Kind, database: String, readers: Seq[String]): Seq[Ran] =
    inDatabase(database, "t" +: tables.others.keys.toSeq) {
      val made = outcome(kind.made)
      if (made.isLeft) Seq(Ran(kind.made, made, Nil, Filters(0, 0)))
      else {
        tables.others.foreach { case (name, rows) =>
          spark.sql(s"CREATE TABLE $name USING ${tables.format} AS $rows")
        }
        // not the rows of these, in which OPTIMIZE has times and paths
        val filled = (kind.filled ++ kind.refused).map(of(database, _))
          .map(done(_, Seq(Whole))).map(ran => ran.copy(outcome = ran.outcome.map(_ => Nil)))
        val changes = if (Forms.all) tables.changes else tables.changes.take(FewChanges)
        val changed = changes.map(done(_, Seq(Whole)))
        (filled :+ done("VALUES ('filled')", readers)) ++
          (changed :+ done("VALUES ('changed')", readers)) :+ versions(of(database, tables.versions))
      }
    }

  private def done(statement: String, readers: Seq[String]): Ran = {
    val ended = outcome(statement)
    val (rows, filters) = readers.map(read).unzip
    Ran(statement, ended, rows, filters.reduce(_ + _))
  }

  private def versions(query: String): Ran = Ran(query, Right(history(query)), Nil, Filters(0, 0))

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
}

private object FormatRows {

  // What `make test` has of the kinds and of the changes.
  private val FewKinds = 1
  private val FewChanges = 5

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
}
