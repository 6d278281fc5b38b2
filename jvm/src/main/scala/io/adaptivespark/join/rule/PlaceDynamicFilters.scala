package io.adaptivespark.join.rule

import java.util.IdentityHashMap

import scala.annotation.tailrec

import org.apache.spark.sql.catalyst.expressions.{And, Expression}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.{ColumnarToRowExec, FilterExec, SparkPlan}
import org.apache.spark.sql.execution.exchange.ShuffleExchangeExec
import org.apache.spark.sql.execution.joins.BaseJoinExec

import io.adaptivespark.conf.{AdaptiveSparkConf, DynamicFilterSettings}
import io.adaptivespark.hint.DynamicFilterHint
import io.adaptivespark.history.Verdict
import io.adaptivespark.join.build.BuildSide
import io.adaptivespark.join.exec.{BuildKey, CollectKeysExec, DynamicFilterExec, KeySource}
import io.adaptivespark.join.keys.collecting.CollectedKeys
import io.adaptivespark.join.keys.testing.{InDynamicKeys, RuntimeKeyFilter}
import io.adaptivespark.scan.{LoopedScans, ScanKind}
import io.adaptivespark.shim.JavaCollections._
import io.adaptivespark.shim.RealTimeStreamShim

/** Puts a dynamic filter above each scan that the keys of a join can prune.
  *
  * First every join is asked on the unchanged plan which filters it wants. Then the plan is rebuilt: a filter
  * reads its keys from the join's own exchange, or from one below it on the same side, which must be rebuilt
  * with the filters within it. Where copies of an exchange are no longer alike, the plan is rebuilt once more
  * without the filters below them.
  *
  * The rebuilding ends. A join filters one side by the keys of the other, so of two scans only the join where
  * their paths meet can let one filter the other, and it does so one way. Builds from elsewhere
  * ([[SharedReads]]) have no filters within.
  */
abstract private[rule] class PlaceDynamicFilters(started: Boolean) extends Rule[SparkPlan] {

  /** True where the keys of `source` can be read at this step of planning. */
  protected def mayRead(source: BuildSide): Boolean

  override def apply(plan: SparkPlan): SparkPlan = {
    LoopedScans.note(plan)
    if (!plan.exists(isWanted)) plan
    else {
      AdaptiveSparkConf.refuseUnknownKeys(conf)
      if (RealTimeStreamShim.refusesOtherOperators(plan)) plan
      else place(plan, DynamicFilterSettings.in(conf))
    }
  }

  private def isWanted(plan: SparkPlan): Boolean =
    plan.isInstanceOf[BaseJoinExec] &&
      (AdaptiveSparkConf.DynamicEnabled.in(conf) || DynamicFilterHint.asksFor(plan))

  private def place(plan: SparkPlan, settings: DynamicFilterSettings): SparkPlan = {
    val chosen = new PlanDynamicFilters(
      plan,
      settings,
      conf.exchangeReuseEnabled,
      mayRead,
      new PastRuns(plan, settings),
      new RecordRefusals(plan, settings)
    )
    val filters = plan.collect { case join: BaseJoinExec => chosen.of(join) }.flatten
    rebuilt(plan, chosen.placed(filters), chosen, settings)
  }

  @tailrec private def rebuilt(
      plan: SparkPlan,
      filters: Seq[ScanFilter],
      chosen: PlanDynamicFilters,
      settings: DynamicFilterSettings
  ): SparkPlan =
    if (filters.isEmpty) plan
    else {
      val rebuild = new Rebuild(filters, chosen, settings)
      val filtered = rebuild(plan)
      val kept = chosen.together(filters, rebuild(_))
      if (kept.size == filters.size) filtered else rebuilt(plan, kept, chosen, settings)
    }

  /** The plan with its filters, each node once. */
  private class Rebuild(
      filters: Seq[ScanFilter],
      chosen: PlanDynamicFilters,
      settings: DynamicFilterSettings
  ) {
    private val wanted = new IdentityHashMap[SparkPlan, Vector[ScanFilter]]
    filters.foreach(filter => wanted.merge(filter.column.scan, Vector(filter), _ ++ _))

    private val done = new IdentityHashMap[SparkPlan, SparkPlan].asScala

    private val sizes = new IdentityHashMap[SparkPlan, Long].asScala

    /** The keys that filters take from an exchange, by exchange. */
    private val collected = new IdentityHashMap[SparkPlan, Seq[Expression]]
    for (filter <- filters.flatMap(_.wanted))
      collected.merge(
        filter.source.exchange,
        Seq(filter.source.keys(filter.key)),
        (a, b) => (a ++ b).distinct
      )

    def apply(plan: SparkPlan): SparkPlan = done.getOrElseUpdate(plan, rebuilt(plan))

    // Rows are tested by the filter that is there, or by one of their own.
    private def rebuilt(plan: SparkPlan): SparkPlan = plan match {
      case filter @ FilterExec(condition, child @ ScanBelow(scan)) if wanted.containsKey(scan) =>
        val (below, tests) = filtered(child, scan)
        val tested = filter.copy(condition = tests.foldLeft(condition)(And(_, _)), child = below)
        tested.copyTagsFrom(filter)
        tested
      case ScanBelow(scan) if wanted.containsKey(scan) =>
        val (below, tests) = filtered(plan, scan)
        tests.reduceOption[Expression](And(_, _)).fold(below)(FilterExec(_, below))
      case shuffle: ShuffleExchangeExec if collected.containsKey(shuffle) =>
        val keys = collected.get(shuffle)
        val types = keys.map(_.dataType)
        shuffle.withNewChildren(Seq(CollectKeysExec(apply(shuffle.child), keys)(new CollectedKeys(types))))
      case other => other.mapChildren(apply)
    }

    /** `plan`, which is `scan` or its rows, with the filters of the scan, and the tests of rows that belong above it.
      */
    private def filtered(plan: SparkPlan, scan: SparkPlan): (SparkPlan, Seq[Expression]) = {
      val filters = affordable(scan)
      // once started, it is decided who takes batches
      val givesRows = !started || !plan.supportsColumnar
      val rowKeys =
        filters.map(filter =>
          if (givesRows && filter.testsRows)
            Some(new RuntimeKeyFilter(filter.testsByBloom, mayStop = !filter.countsRows))
          else None
        )
      val tests = filters.zip(rowKeys).zipWithIndex.collect { case ((of, Some(keys)), i) =>
        InDynamicKeys(of.column.key, i)(keys)
      }
      val below = withFilters(scan, filters, rowKeys)
      (if (plan eq scan) below else plan.withNewChildren(Seq(below)), tests)
    }

    private def withFilters(
        scan: SparkPlan,
        filters: Seq[ScanFilter],
        rowKeys: Seq[Option[RuntimeKeyFilter]]
    ): SparkPlan = {
      val all = filters.flatMap(_.wanted)
      val builds = all.map(_.source).foldLeft(Vector.empty[BuildSide]) { (seen, next) =>
        if (seen.exists(_.exchange eq next.exchange)) seen else seen :+ next
      }
      def from(of: WantedFilter) = BuildKey(builds.indexWhere(_.exchange eq of.source.exchange), of.key)
      val sources = filters.map(filter => KeySource(filter.wanted.map(from))(filter.signature))
      if (filters.isEmpty) scan
      else {
        ScanKind.of(scan).logicalNode.foreach(scan.setLogicalLink)
        DynamicFilterExec(
          scan,
          filters.map(_.column.key),
          sources,
          builds.map(_.keys),
          builds.map(build => apply(build.reader)),
          rowKeys,
          settings,
          started
        )
      }
    }

    private var room = PlaceDynamicFilters.MostOfPlan

    // Each build stands in the plan once more, with the builds of the filters within it. The smallest come first.
    private def affordable(scan: SparkPlan): Seq[ScanFilter] = {
      val all = wanted.get(scan)
      val bySize =
        all.map(of => of -> of.wanted.map(each => size(apply(each.source.exchange)))).sortBy(_._2.sum)
      val (kept, _) =
        bySize.foldLeft((Vector.empty[ScanFilter], 0L)) { case ((kept, before), (filter, builds)) =>
          val added = builds.sum
          val fits = builds.max <= PlaceDynamicFilters.LargestBuild &&
            added * builds.size <= PlaceDynamicFilters.LargestUnion && added <= room &&
            (kept.isEmpty || before + added <= PlaceDynamicFilters.LargestBuild)
          if (fits) {
            room -= added
            (kept :+ filter, before + added)
          } else {
            chosen.drop(filter, Verdict.PlanTooLarge)
            (kept, before)
          }
        }
      all.filter(filter => kept.exists(_ eq filter))
    }

    private def size(plan: SparkPlan): Long = sizes.getOrElseUpdate(plan, 1 + plan.children.map(size).sum)

    private object ScanBelow {
      def unapply(plan: SparkPlan): Option[SparkPlan] = plan match {
        case ColumnarToRowExec(scan) => Some(scan)
        case scan => Some(scan)
      }
    }
  }
}

private object PlaceDynamicFilters {

  /** The most operators of a build side, and of all build sides of a scan that has several. */
  private val LargestBuild = 500L

  /** The most operators of the build sides of all scans. */
  private val MostOfPlan = 5000L

  /** The most operators of all builds of a shared exchange in all its copies, which are about as many as the builds. */
  private val LargestUnion = 2000L
}
