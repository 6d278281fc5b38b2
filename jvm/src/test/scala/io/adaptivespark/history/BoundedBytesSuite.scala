package io.adaptivespark.history

import java.util.Properties

import scala.concurrent.Future

import org.apache.spark.scheduler.SparkListenerJobStart
import org.apache.spark.sql.catalyst.TableIdentifier
import org.apache.spark.sql.catalyst.catalog._
import org.apache.spark.sql.catalyst.plans.logical.{Histogram, HistogramBin}
import org.apache.spark.sql.execution.SQLExecution
import org.apache.spark.sql.types.StructType
import org.apache.spark.util.SizeEstimator
import org.scalatest.funsuite.AnyFunSuite

import io.adaptivespark.SparkSuite
import io.adaptivespark.conf.AdaptiveSparkConf
import io.adaptivespark.filter.order.Evidence
import io.adaptivespark.filter.plan.CanonicalForm
import io.adaptivespark.filter.sampling.FilterReport
import io.adaptivespark.history.bound.{EntrySize, RecentEntries}
import io.adaptivespark.history.label.QueryLabels
import io.adaptivespark.history.memory.{FilterMemory, KeptStatistics, Prior, Priors, PruningMemory}

/** What the driver keeps of queries is bounded in bytes, however large they are. */
class BoundedBytesSuite extends AnyFunSuite with SparkSuite {
  private val Large = 2000
  // bytes on the heap, of estimated ones at most
  private val Inexact = 1.25

  private def labels(tag: String = "model.large", run: String = "run") =
    QueryLabels(None, "ann", tag, run)

  /** Predicates of which no two executions have the same objects. */
  private def predicates(count: Int = Large, of: String = "orders"): Seq[FilterHistory.Predicate] =
    (0 until count).map(i =>
      FilterHistory.Predicate(
        s"($of.amount % 1001 <> $i)",
        s"$of: (amount % ? <> ?) #$i",
        mayThrow = true,
        Some("OR 1")
      )
    )

  private def added(history: FilterHistory, id: Long, of: Seq[FilterHistory.Predicate]): FilterReport = {
    val report = new FilterReport(of.size)
    history.add(FilterHistory.Entry(labels(), id, report, of))
    report
  }

  private def ids(history: FilterHistory): Seq[Long] =
    history.rows(_ => true).map(_.getAs[Long](3)).distinct

  test("a query of 2,000 predicates that is repeated fits into the bound, its texts kept once") {
    val history = new FilterHistory
    added(history, 1, predicates())
    val once = history.bytes
    added(history, 2, predicates())
    assert(history.bytes - once < once / 4, "texts are in common")
    (3L to 300L).foreach(added(history, _, predicates()))
    assert(history.bytes <= FilterHistory.MostBytes)
    assert(SizeEstimator.estimate(history) <= FilterHistory.MostBytes * Inexact)
    val kept = ids(history)
    assert(kept == (kept.head to 300L) && kept.size > 100, "the newest")
  }

  test("queries of 2,000 predicates each of its own fit into the bound") {
    val history = new FilterHistory
    (1L to 40L).foreach(id => added(history, id, predicates(of = s"t$id")))
    assert(SizeEstimator.estimate(history) <= FilterHistory.MostBytes * Inexact)
    val kept = ids(history)
    assert(kept == (kept.head to 40L) && kept.size > 10)
  }

  test("a report that grows while its query runs counts as large as it has become") {
    val history = new FilterHistory
    val reports = (1L to 1000L).map(added(history, _, predicates(20)))
    assert(ids(history).size == 1000)
    reports.foreach { report =>
      val seen = new Evidence(20)
      (0 until 500).foreach(outcome => seen.outcomes.count((1L << 20) - 1, outcome.toLong))
      report.addSegment(0, seen, 500, 0, 0, 0 until 20, 1)
    }
    assert(history.bytes > FilterHistory.MostBytes)
    added(history, 1001, predicates(20))
    assert(history.bytes <= FilterHistory.MostBytes)
    assert(SizeEstimator.estimate(history) <= FilterHistory.MostBytes * Inexact)
    assert(ids(history).last == 1001)
  }

  private object Bytes extends EntrySize[Int, String] {
    override def own(entry: Int): Long = entry.toLong
    override def parts(entry: Int): Seq[String] = Nil
    override def ofPart(part: String): Long = 0
    override def withParts(entry: Int, parts: Seq[String]): Int = entry
  }

  test("an entry that is larger than the bound stays until the next one comes") {
    val entries = new RecentEntries[Int, String](10, mostBytes = 100, Bytes)(_ => ())
    Seq(30, 40).foreach(entries.add)
    assert(entries.add(500) && entries.all == Seq(500) && entries.bytes == 500)
    assert(!entries.add(500) && entries.all == Seq(500))
    assert(entries.add(20) && entries.all == Seq(20) && entries.add(80) && entries.all == Seq(20, 80))
  }

  private def forms(count: Int, of: String): IndexedSeq[CanonicalForm] = (0 until count).map(i =>
    CanonicalForm(s"$of: (amount % ? <> ?) #$i", None)
  )

  private def learned(memory: FilterMemory, of: IndexedSeq[CanonicalForm]): Unit = {
    val report = new FilterReport(of.size)
    memory.add("ann", report, of)
    report.addSegment(
      0,
      new Evidence(Array.fill(of.size)(9L), Array.fill(of.size)(3L), Array.fill(of.size)(7L)),
      9,
      0,
      0,
      of.indices,
      1
    )
  }

  test("what is learned of filters of 2,000 predicates fits into the bound, the newest stay") {
    val memory = new FilterMemory
    for (table <- 1 to 60; _ <- 1 to 6) learned(memory, forms(Large, s"t$table"))
    assert(SizeEstimator.estimate(memory) <= FilterMemory.MostBytes * Inexact)
    assert(memory.size > 10 && memory.prior("ann", forms(Large, "t60"), Prior.none).isDefined)
    assert(memory.prior("ann", forms(Large, "t1"), Prior.none).isEmpty)
  }

  test("a filter larger than the bound is learned of until the next one comes, small ones are 1,000") {
    val memory = new FilterMemory
    learned(memory, forms(200000, "huge"))
    assert(memory.prior("ann", forms(200000, "huge"), Prior.none).isDefined)
    (1 to 1100).foreach(i => learned(memory, forms(3, s"t$i")))
    assert(memory.size == FilterMemory.Limit)
    assert(memory.prior("ann", forms(3, "t1100"), Prior.none).isDefined)
  }

  test("priors, filters of joins and labels with long texts fit into their bounds, the newest stay") {
    val long = "x" * 100000
    val priors = new Priors
    val predicates = (0 until 4000).map(i => s""""p$i":[0,0,0]""").mkString(",")
    (1 to 100).foreach(i =>
      priors.remember(labels(run = i.toString), Prior.parse(s"""{"version":2,"predicates":{$predicates}}"""))
    )
    assert(SizeEstimator.estimate(priors) <= Priors.MostBytes * Inexact)
    assert(priors.of(labels(run = "100")).forms.size == 4000)
    val joins = new PruningMemory
    def key(i: Int) = PruningMemory.Key("ann", "signature", s"$i$long")
    (1 to 100).foreach(i => joins.learn(key(i), None, () => Some(0.5)))
    assert(SizeEstimator.estimate(joins) <= PruningMemory.MostBytes * Inexact && joins.size > 10)
    joins.learn(key(100), None, () => Some(0.5))
    assert(joins.expected(key(100), Some(1), Prior.none).contains(0.5))
  }

  test("executions with long labels fit into the bound, the newest stay") {
    val listener = new QueryListener(() => 0)
    (1 to 100).foreach { i =>
      val properties = new Properties
      properties.setProperty(SQLExecution.EXECUTION_ID_KEY, i.toString)
      properties.setProperty(AdaptiveSparkConf.QueryTag.name, s"$i" + "x" * 100000)
      listener.onJobStart(SparkListenerJobStart(i, 0, Nil, properties))
    }
    val rows = listener.rows(_ => true, isUpToDate = true)
    assert(rows.size > 10 && rows.map(_.getAs[String](1).length.toLong).sum <= QueryListener.MostBytes)
    assert(rows.last.getLong(0) == 100)
  }

  test("dynamic filters and plans with long texts fit into their bounds, equal texts kept once") {
    def text(i: Any) = s"$i" + "x" * 1900
    def filter(id: Int, text: String) = DynamicFilterHistory.Entry(
      labels().copy(queryId = Some(id.toLong)),
      text,
      s"a.$text",
      s"b.$text",
      Verdict.KeysUnreadable("no"),
      Some(s"c.$text"),
      None,
      Some(DynamicFilterHistory.Scanned(
        None,
        Future.successful(1L),
        () => 1,
        None,
        None,
        None,
        None,
        None,
        None
      ))
    )
    val own = new DynamicFilterHistory
    (1 to 1000).foreach(i => own.add(filter(i, text(i))))
    assert(SizeEstimator.estimate(own) <= DynamicFilterHistory.MostBytes * Inexact)
    assert(own.rows(_ => true).last.getLong(0) == 1000)
    val repeated = new DynamicFilterHistory
    (1 to 1000).foreach(i => repeated.add(filter(i, text("same"))))
    assert(repeated.rows(_ => true).size == 1000 && repeated.bytes < DynamicFilterHistory.MostBytes)
    val plans = new PlanHistory
    (1 to 3000).foreach(i =>
      plans.add(PlanHistory.Entry(labels(), "join", None, text(i), text(-i), "1", "2"))
    )
    assert(SizeEstimator.estimate(plans) <= PlanHistory.MostBytes * Inexact)
    assert(plans.rows(_ => true).size > 500)
  }

  test("statistics of wide tables with histograms fit into the bound, the newest stay") {
    val kept = new KeptStatistics
    def table(i: Int): CatalogTable = {
      val histogram = Histogram(1, Array.tabulate(254)(bin => HistogramBin(bin.toDouble, bin + 1.0, 1)))
      val stat = CatalogColumnStat(Some(1), Some("0"), Some("9"), Some(0), None, None, Some(histogram))
      val columns = (0 until 100).map(c => s"c$c" -> stat.copy(histogram = Some(histogram.copy()))).toMap
      CatalogTable(
        TableIdentifier(s"t$i", Some("shop")),
        CatalogTableType.MANAGED,
        CatalogStorageFormat.empty,
        new StructType,
        createTime = 1,
        stats = Some(CatalogStatistics(1, Some(1), columns))
      )
    }
    (1 to 50).foreach(i => assert(kept.keep("ann", table(i))))
    assert(kept.bytes <= KeptStatistics.MostBytes)
    assert(kept.take("ann", table(50).copy(stats = None)).isDefined)
    assert(kept.take("ann", table(1).copy(stats = None)).isEmpty)
  }

  test("a filter of many predicates that Spark runs again adds little") {
    val condition = (0 until 20).map(i => s"id % 1001 <> $i AND CAST(id AS STRING) NOT LIKE '%a$i%'")
      .mkString(" AND ")
    def grown: Long = {
      val before = memory.filters.bytes
      spark.range(100).filter(condition).collect()
      memory.filters.bytes - before
    }
    val first = grown
    assert(first > 0 && grown < first / 2)
  }
}
