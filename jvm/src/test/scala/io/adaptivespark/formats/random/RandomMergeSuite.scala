package io.adaptivespark.formats.random

import org.scalatest.funsuite.AnyFunSuite

import io.adaptivespark.{Forms, Seeds, SparkSuite}
import io.adaptivespark.formats.{FormatOutcomes, FormatTables}

/** Random `MERGE`s give a table the same rows and versions with the extension as without.
  *
  * `MERGES` says how many.
  */
abstract class RandomMergeSuite(override protected val tables: FormatTables)
    extends AnyFunSuite
    with FormatOutcomes {
  import RandomMergeSuite._

  /** Lists of properties, of which a table has one. */
  protected def properties: Seq[String]

  /** The least share of the statements whose target skips data by the source's keys. */
  protected def leastShare: Double

  override protected def staticConf: Map[String, String] =
    super.staticConf + ("spark.sql.dynamicFilter.minProbeSize" -> "0")

  private val cases =
    sys.env.get("MERGES").fold(if (Forms.all) 60 else FewCases)(_.toInt / RandomMerge.Merges)

  test("random MERGEs leave the rows and versions of stock Spark") {
    val ended = Seeds.of(cases).map { seed =>
      val random = RandomMerge.of(seed, tables.format, properties)
      val Seq(stock, ours) =
        Seq(false, true).map { on =>
          memory.forget()
          withConf(random.conf ++ SparkSuite.Features.map(_ -> on.toString): _*)(
            ran(random, s"seed_${seed}_$on")
          )
        }
      for ((before, after) <- stock.zip(ours))
        assert(after == before, s"\nseed $seed, ${random.conf}\nafter ${before.statement}")
      (stock, filtered(s"seed_${seed}_true"))
    }
    val failed = ended.flatMap(_._1).flatMap(_.outcome.left.toOption)
    val merges = cases * RandomMerge.Merges
    val filters = ended.map(_._2).sum
    info(s"$merges MERGEs from seed ${Seeds.first}, $filters with filters; errors: ${failed.distinct.sorted}")
    assert(failed.size < merges / 2)
    assert(filters >= leastShare * merges)
  }

  private def ran(random: RandomMerge, name: String): Seq[Ended] =
    inDatabase(name, Seq("t", RandomMerge.Sources)) {
      (RandomMerge.sources(tables.format) +: random.made).foreach(spark.sql(_))
      random.merges.map(done(_, name)) :+ Ended("all", Right(history(of(name, tables.versions))), Nil)
    }

  private def done(statement: String, tag: String): Ended =
    withConf("spark.sql.adaptiveFilter.queryTag" -> tag)(
      Ended(statement, outcome(statement), sorted(spark.sql("SELECT * FROM t")))
    )

  /** The number of queries with a filter by the keys of a source. */
  private def filtered(tag: String): Long =
    spark.sql(
      s"SELECT DISTINCT query_id FROM dynamic_filter_stats() WHERE query_tag = '$tag' AND verdict_code = 'filtered'"
    ).count()
}

private object RandomMergeSuite {

  // A statement takes seconds.
  private val FewCases = 2

  /** @param rows
    *   of the table after it
    */
  final case class Ended(statement: String, outcome: Either[String, Seq[String]], rows: Seq[String])
}
