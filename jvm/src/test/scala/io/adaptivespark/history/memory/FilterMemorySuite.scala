package io.adaptivespark.history.memory

import java.nio.file.Files

import org.apache.spark.sql.{DataFrame, SparkSession}
import org.apache.spark.sql.catalyst.plans.logical.Filter
import org.apache.spark.sql.execution.SparkPlan
import org.scalatest.funsuite.AnyFunSuite

import io.adaptivespark.SparkSuite
import io.adaptivespark.filter.exec.AdaptiveFilter
import io.adaptivespark.filter.order.Evidence
import io.adaptivespark.filter.plan.CanonicalForm
import io.adaptivespark.filter.sampling.FilterReport

class FilterMemorySuite extends AnyFunSuite with SparkSuite {
  private val User = "ann"

  // of no application: what a test learns
  private val of = new FilterMemory

  private lazy val path = {
    val directory = Files.createTempDirectory("memory").resolve("t").toString
    spark.range(0, 200000, 1, 2).selectExpr(
      "abs(hash(id)) % 1000 AS h",
      "concat('name-', id) AS s"
    ).write.parquet(directory)
    directory
  }

  private def query(session: SparkSession, text: String = "%m%9%", bound: Int = 20): DataFrame =
    session.read.parquet(path).filter(s"s LIKE '%a%e%' AND s LIKE '$text' AND h < $bound")

  /** The leaves from first to last, in their initial order, and how often the order changed. */
  private def initial(query: DataFrame): (Seq[Int], Long) = {
    val plan: SparkPlan = executed(query)
    val Seq(filter) = collect(plan) { case f: AdaptiveFilter => f }
    (filter.initialOrder, filter.metrics("numReorderings").value)
  }

  private def learn(): Unit = {
    memory.forget()
    assert(initial(query(spark))._1 == Seq(0, 1, 2))
  }

  test("the next query with the same predicates starts in the learned order, in another session too") {
    learn()
    Seq(spark, spark.newSession()).foreach(session => assert(initial(query(session))._1.head == 2))
  }

  test("other constants are the same filter, another predicate is not") {
    learn()
    assert(initial(query(spark, text = "%m%8%", bound = 30))._1.head == 2)
    assert(initial(spark.read.parquet(path).filter("s LIKE '%a%e%' AND s LIKE '%m%9%' AND h > 980"))._1 ==
      Seq(0, 1, 2))
  }

  test("predicates written in another order are the same filter") {
    learn()
    val other = spark.read.parquet(path).filter("s LIKE '%m%9%' AND h < 20 AND s LIKE '%a%e%'")
    assert(initial(other)._1.head == 1)
  }

  test("initialOrder = written forgets") {
    learn()
    withConf("spark.sql.adaptiveFilter.initialOrder" -> "written") {
      assert(initial(query(spark))._1 == Seq(0, 1, 2))
    }
  }

  test("a predicate with a very long constant is remembered like any other") {
    val filter = forms(s"s = '${"x" * 1000000}'")
    assert(of.prior(User, filter, Prior.none).isEmpty)
    assert(of.prior(User, filter, prior("t: (s = ?)" -> "10, 5, 100")).isDefined)
  }

  /** The canonical forms of the predicates of a filter on a table. */
  private def forms(conditions: String*): IndexedSeq[CanonicalForm] = formsOf("t", conditions: _*)

  private def formsOf(table: String, conditions: String*): IndexedSeq[CanonicalForm] = {
    val rows = spark.range(1).selectExpr(
      "'' AS s",
      "0 AS h",
      "0 AS c",
      "0 AS d",
      "0 AS secret2",
      "0 AS secret3"
    ).as(table)
    CanonicalForm.of(conditions.map { condition =>
      rows.where(condition).queryExecution.analyzed.collectFirst { case Filter(found, _) => found }.get
    })
  }

  private lazy val predicates = forms("contains(s, 'e')", "contains(s, '9')", "h < 20")

  private def prior(known: (String, String)*): Prior =
    Prior.parse(known.map { case (shape, numbers) => s""""$shape": [$numbers]""" }.mkString(
      """{"version": 2, "predicates": {""",
      ", ",
      "}}"
    ))

  test("what an earlier run learned is the start of the first query of this one") {
    of.clear()
    val learned = of.prior(
      User,
      predicates,
      prior("t: (h < ?)" -> "1000, 10, 5000", "t: contains(s, ?)" -> "1000, 1000, 90000")
    )
    assert(learned.get.monitored.toSeq == Seq(1000, 0, 1000) && learned.get.passed.toSeq == Seq(1000, 0, 10))
    assert(of.prior(User, predicates, prior("t: (other > ?)" -> "10, 1, 10")).isEmpty)
  }

  private def passed(filter: IndexedSeq[CanonicalForm], earlier: Prior): Seq[Long] =
    of.prior(User, filter, earlier).fold(Seq.empty[Long])(_.passed.toSeq)

  test("what a user's queries learned serves that user alone") {
    of.clear()
    of.add("ben", report(1000, 0.5), predicates)
    assert(of.prior("ben", predicates, Prior.none).isDefined &&
      of.prior(User, predicates, Prior.none).isEmpty)
  }

  test("what is known of a relation counts for it, and for another name where nothing else is like it") {
    of.clear()
    val both =
      prior("a: (h < ?)" -> "100, 10, 500", "b: (h < ?)" -> "100, 20, 500", "b: (c < ?)" -> "100, 30, 500")
    assert(passed(formsOf("a", "h < 1"), both) == Seq(10) && passed(formsOf("b", "h < 2"), both) == Seq(20))
    assert(passed(formsOf("pr_b", "h < 3", "c < 4"), both) == Seq(0, 30))
  }

  test("of predicates that differ in constants alone, each finds its own") {
    of.clear()
    val pair = prior("t: contains(s, ?)" -> "100, 10, 500", "t: contains(s, ?) #2" -> "100, 20, 500")
    assert(passed(forms("contains(s, 'x')", "contains(s, 'y')", "contains(s, 'z')"), pair) == Seq(10, 20, 0))
    of.add(User, report(1000, 0.5), predicates)
    val swapped = of.prior(User, forms("contains(s, '9')", "h < 1", "contains(s, 'e')"), Prior.none).get
    assert(swapped.monitored.forall(_ == 1000))
  }

  test("the sign of a constant makes no other filter, digits in a column's name do") {
    of.clear()
    of.add(User, report(1000, 0.5, size = 1), forms("h > 5"))
    assert(of.prior(User, forms("h > -5"), Prior.none).isDefined)
    assert(of.prior(User, forms("secret2 > 5"), Prior.none).isEmpty)
    of.add(User, report(1000, 0.5, size = 1), forms("secret2 > 5"))
    assert(of.prior(User, forms("secret3 > 5"), Prior.none).isEmpty)
  }

  for (
    broken <- Seq(
      "no json",
      """{"version": 1, "predicates": {"(h < 20)": [10, 5, 100]}}""",
      """{"version": 3, "predicates": {}}""",
      """{"version": 2, "predicates": {"a": [1]}}""",
      """{"version": 2, "predicates": {"a": [1, 2, 3]}}""",
      """{"version": 2, "predicates": {"a": [-1, -2, 3]}}""",
      """{"version": 2, "predicates": {"a": ["3", 2, 3]}}""",
      """{"version": 2, "predicates": {}, "joins": {"a": 1001}}"""
    )
  )
    test(s"an earlier run's knowledge that is unreadable is refused: $broken") {
      intercept[IllegalArgumentException](Prior.parse(broken))
    }

  /** What a query saw of its predicates: of `samples` rows, `share` passed each. */
  private def report(samples: Int, share: Double, size: Int = 3): FilterReport = {
    val report = new FilterReport(size)
    val seen = new Evidence(
      Array.fill(size)(samples.toLong),
      Array.fill(size)((samples * share).toLong),
      Array.fill(size)(samples * 10L)
    )
    report.addSegment(0, seen, samples.toLong, reorderings = 0, samplingNanos = 0, 0 until size, epoch = 1)
    report
  }

  private def learned(earlier: Prior = Prior.none): (Long, Double) = {
    val known = of.prior(User, predicates, earlier).get
    (known.monitored(0), known.passed(0).toDouble / known.monitored(0))
  }

  test("a query that has begun, or was cancelled, takes nothing from what is known") {
    of.clear()
    of.add(User, report(100000, 0.25), predicates)
    (1 to 20).foreach(_ => of.add(User, new FilterReport(3), predicates))
    assert(learned() == ((100000, 0.25)))
  }

  test("the newest query counts as far as it has samples, up to those that make a prior") {
    of.clear()
    of.add(User, report(100000, 0.25), predicates)
    of.add(User, report(1, 1.0), predicates)
    val (samples, share) = learned()
    assert(samples == 1000 && math.abs(share - 0.25) < 0.01)
    of.add(User, report(500, 1.0), predicates)
    assert(math.abs(learned()._2 - 0.625) < 0.01)
    of.add(User, report(1000, 1.0), predicates)
    assert(learned() == ((1000, 1.0)))
  }

  test("what an earlier run knew tops up a query that met few rows") {
    of.clear()
    of.add(User, report(1, 1.0), predicates)
    val (samples, share) = learned(prior(predicates.map(_.shape -> "100000, 25000, 1000000"): _*))
    assert(samples == 1000 && math.abs(share - 0.25) < 0.01)
  }

  test("many small queries add up, without a drift") {
    of.clear()
    (1 to 2000).foreach(_ => of.add(User, report(2, 0.5), predicates))
    val (samples, share) = learned()
    assert(samples == 1000 && math.abs(share - 0.5) < 0.01)
  }

  test("of queries that run at once, each one's knowledge counts") {
    of.clear()
    val slow = new FilterReport(3)
    of.add(User, slow, predicates)
    of.add(User, new FilterReport(3), predicates)
    slow.merge(report(2000, 0.75))
    assert(learned() == ((2000, 0.75)))
  }

  test("a list of other constants, however long, is the same filter") {
    def filter(list: String) = forms("h < 20", s"c IN ($list)")
    for (list <- Seq("-4, 5", "1, CAST(NULL AS INT), -1", "CAST('1' AS INT)", "5")) {
      of.clear()
      of.add(User, report(10, 0.5, size = 2), filter((1 to 20000).mkString(", ")))
      assert(of.prior(User, filter(list), Prior.none).exists(_.monitored.forall(_ == 10)), list)
      assert(of.prior(User, filter("1, d"), Prior.none).isEmpty)
    }
  }

  test("no constant of a predicate is in its shape, whatever takes it") {
    val conditions = Seq(
      "s = 'hush'",
      "s IN ('hush', 'hush2', s)",
      "s LIKE 'hush%'",
      "s LIKE 'a\\\\_hush' ESCAPE '/'",
      "s LIKE ALL ('%hush%', '%hush')",
      "s LIKE ANY ('%hush%', '%hush')",
      "s NOT LIKE ALL ('%hush%', '%hush')",
      "s RLIKE 'hush'",
      "regexp_replace(s, 'hush', 'x') = 'x'",
      "startswith(s, 'hush')",
      "get_json_object(s, '$.hush') = 'x'",
      "from_json(s, 'a STRING', map('timestampFormat', 'hush')).a = 'x'",
      "map('hush', s)['hush'] = 'x'",
      "from_unixtime(h, 'hush') = 'x'",
      "date_format(to_timestamp(s, 'hush'), 'hush') = 'x'",
      "exists(array(s), x -> x = 'hush')",
      "parse_url(s, 'QUERY', 'hush') = 'x'",
      "translate(s, 'hush', 'x') = 'x'",
      "split(s, 'hush')[4711] = 'x'",
      "h > 4711",
      "h - 4711 > 0",
      "h BETWEEN 4711 AND 4712",
      "s || 'hush' = 'x'"
    )
    for (condition <- conditions) {
      val shape = forms(condition).head.shape
      assert(!shape.contains("hush") && !shape.contains("4711"), condition)
    }
  }

  test("predicates with names that the session hides are found again, by what is left of them") {
    of.clear()
    val shown = prior(
      "t: (s = ?)" -> "1000, 10, 5000",
      "t: (*********(redacted) > ?)" -> "1000, 20, 5000"
    )
    def found = forms("s = 'secret1'", "secret2 > 1", "secret3 > 1", "secret3 < 1")
    assert(passed(found, shown) == Seq(10, 0, 0, 0))
    withConf("spark.sql.redaction.string.regex" -> "secret\\d") {
      assert(passed(found, shown) == Seq(10, 20, 0, 0))
    }
  }

  test("many predicates are matched with many in no time") {
    of.clear()
    def shape(i: Int) = s"t: (c$i = ${"x" * 1000})"
    val known = prior((1 to 3000).map(shape(_) -> "10, 5, 100"): _*)
    val filter = (1001 to 1600).map(i => CanonicalForm(shape(i), None))
    val started = System.nanoTime()
    assert(of.prior(User, filter, known).get.monitored.forall(_ == 10))
    assert((System.nanoTime() - started) / 1e9 < 3)
  }
}
