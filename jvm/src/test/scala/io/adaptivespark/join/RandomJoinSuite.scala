package io.adaptivespark.join

import java.util.concurrent.atomic.AtomicInteger

import scala.util.{Failure, Success, Try}

import org.apache.spark.sql.DataFrame
import org.scalatest.funsuite.AnyFunSuite

import io.adaptivespark.{Forms, InParallel, Interpreted, Seeds, SparkSuite}
import io.adaptivespark.join.exec.DynamicFilterExec
import io.adaptivespark.join.random.{RandomQuery, RandomRelation, RandomTables}
import io.adaptivespark.scan.ScanName
import io.adaptivespark.shim.SessionShim.Local

/** Random stars and chains of relations of every form give the same rows with the extension as without.
  *
  * `JOINS` says how many. Without it, each question is asked once.
  */
class RandomJoinSuite extends AnyFunSuite with SparkSuite {
  import RandomJoinSuite._

  private val seeds = sys.env.get("JOINS").fold(
    Seeds.of(RandomRelation.Forms.size * (if (Forms.all) 20 else 1)).map(_ * RandomQuery.Alike)
  )(joins => Seeds.of(joins.toInt))

  /** The kinds of scan that its tables are made for. */
  protected def scans: Seq[String] = RandomTables.Scans

  /** The same query over these kinds. */
  protected def overScans(query: RandomQuery): RandomQuery = query

  private var areMade = false

  // Where a format is not there, tests are cancelled and make no tables.
  override protected def afterAll(): Unit = {
    if (areMade) RandomTables.drop(spark)
    super.afterAll()
  }

  // One a thread, since each query has confs of its own.
  private val sessions =
    ThreadLocal.withInitial[Local](() => spark.newSession().asInstanceOf[Local])

  private lazy val tables: Unit = {
    areMade = true
    RandomTables.create(spark, scans)
  }

  private lazy val compared: Seq[Compared] = {
    tables
    val done = new AtomicInteger
    val alike = seeds.groupBy(RandomQuery.question).toSeq.sortBy(_._1).map(_._2)
    InParallel(alike) { seeds =>
      val found = compare(seeds)
      found.flatMap(_.fault).foreach(note(_))
      val before = done.getAndAdd(found.size)
      val count = before + found.size
      if (count / Progress > before / Progress) note(s"$count joins")
      found
    }.flatten
  }

  /** The queries of seeds that have the same rows. */
  private def compare(seeds: Seq[Long]): Seq[Compared] = {
    val queries = seeds.map(seed => overScans(RandomQuery.of(seed)))
    val expected = rowsOfStock(queries.head)
    seeds.zip(queries).map { case (seed, query) => compare(s"Seed $seed", query, expected) }
  }

  private def rowsOfStock(query: RandomQuery): Try[Seq[String]] = rows(query, _.stock, on = false)._1

  private def rows(
      query: RandomQuery,
      text: RandomQuery => String,
      on: Boolean
  ): (Try[Seq[String]], Option[DataFrame]) = {
    val session = sessions.get
    query.conf.foreach { case (key, value) => session.conf.set(key, value) }
    SparkSuite.Features.foreach(session.conf.set(_, on))
    val asked = Try(session.sql(text(query)))
    (asked.map(_.collect().toSeq.map(_.toString)), asked.toOption)
  }

  private def compare(name: String, query: RandomQuery, expected: Try[Seq[String]]): Compared = {
    // What another query learned of its filters says nothing of this one's.
    sessions.get.conf.set("spark.sql.adaptiveFilter.queryTag", name)
    val (found, asked) = rows(query, _.text, on = true)
    val fault = (expected, found) match {
      case (Success(before), Success(after)) =>
        if (before != after) Some(s"$after instead of $before") else None
      case (Success(_), Failure(error)) => Some(error.toString)
      case (Failure(error), _) => if (!query.mayRaise) Some(s"Spark alone: $error") else None
    }
    Compared(
      query,
      asked.exists(prunesFirst),
      fault.map(what => s"$name: ${query.text}; ${query.conf.mkString(", ")}: $what")
    )
  }

  /** True where the relation that the query is made around has a dynamic filter. */
  private def prunesFirst(query: DataFrame): Boolean =
    collectWithSubqueries(query.queryExecution.executedPlan) {
      case filter: DynamicFilterExec => ScanName(filter.child)
    }.exists(_.contains(s".${RandomTables.Probe}_"))

  test("random joins have the rows of stock Spark") {
    val faults = compared.flatMap(_.fault)
    info(s"${compared.size} joins from seed ${Seeds.first}, ${faults.size} differences")
    assert(faults.isEmpty, faults.take(5).mkString("\n"))
  }

  test("random joins that differed once have the rows of stock Spark") {
    tables
    val queries = Mended.map(overScans)
    assert(queries.flatMap(query => compare("mended", query, rowsOfStock(query)).fault) == Nil)
  }

  test("a share of the random joins has dynamic filters, for every form of relation and kind of scan") {
    val all = Seq("together" -> compared)
    val groups = all ++ compared.groupBy(_.query.form) ++ compared.groupBy(_.query.scan)
    val shares = for ((name, some) <- groups.sortBy(_._1))
      yield (name, questions(some), some.count(_.prunesFirst).toDouble / some.size)
    info(shares.map { case (name, _, share) => f"$name ${share * 100}%.0f %%" }.mkString(", "))
    val lacking = shares.filter { case (_, asked, share) => asked >= EnoughQuestions && share < LeastShare }
    assert(lacking.isEmpty, s"from seed ${Seeds.first}")
    if (questions(compared) >= RandomRelation.Forms.size)
      assert(compared.map(_.query.form).toSet == RandomRelation.Forms.map(_.name).toSet)
  }
}

private object RandomJoinSuite {

  /** The share of joins, of each form and each kind of scan, that have a filter at least; of fewer questions than
    * [[EnoughQuestions]] it says little, since the joins of one are alike.
    */
  private val LeastShare = 0.1
  private val EnoughQuestions = 14

  private val Progress = 500

  private def questions(some: Seq[Compared]): Int = some.map(_.query.stock).distinct.size

  /** A cached table is read before a build of its filter is. */
  private val Mended = Seq(
    RandomQuery(
      "CTE used twice",
      "cached",
      MendedText,
      MendedText,
      mayRaise = false,
      Interpreted.conf(isOn = true) ++ Seq(
        "spark.sql.adaptive.enabled" -> "true",
        "spark.sql.autoBroadcastJoinThreshold" -> "20KB",
        "spark.sql.join.preferSortMergeJoin" -> "false",
        "spark.sql.join.forceApplyShuffledHashJoin" -> "true",
        "spark.sql.dynamicFilter.minProbeSize" -> "0",
        "spark.sql.dynamicFilter.maxRanges" -> "1"
      )
    )
  )

  private def MendedText = """WITH c AS (SELECT * FROM random_joins.probe_cached WHERE id % 13 = 2)
      |SELECT count(*), sum(xxhash64(t2.i, t2.l, t2.w, t2.t, t2.p) % 1000003),
      |  sum(xxhash64(t1.i, t1.l, t1.w, t1.t, t1.p) % 1000003)
      |FROM (SELECT * FROM random_joins.small_partitioned WHERE l BETWEEN -57 AND 97 ORDER BY id LIMIT 30) t2
      |JOIN (SELECT * FROM c WHERE w IS NOT NULL AND id > 202 AND f < 60) t1 ON t2.b = t1.b
      |LEFT ANTI JOIN (SELECT * FROM c) t0 ON t2.w = t0.w""".stripMargin

  /** @param prunesFirst
    *   true where a dynamic filter prunes the relation that the query is made around
    * @param fault
    *   what is wrong
    */
  final private case class Compared(query: RandomQuery, prunesFirst: Boolean, fault: Option[String])
}
