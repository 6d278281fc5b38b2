package io.adaptivespark.join.rule

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.adaptive.QueryStageExec
import org.apache.spark.sql.execution.joins.BaseJoinExec

import io.adaptivespark.conf.DynamicFilterSettings
import io.adaptivespark.hint.DynamicFilterHint
import io.adaptivespark.history.Verdict
import io.adaptivespark.join.build.{BoundingSides, BuildSide, BuildWork}
import io.adaptivespark.join.keys.KeyDomain
import io.adaptivespark.join.legality.{Legality, TraceProbeKey}
import io.adaptivespark.join.scan.PruneScan

/** Chooses the filters that the joins of a plan are given.
  *
  * It looks at the plan alone: what is known of earlier queries, and where refusals go, it is handed.
  *
  * @param mayRead
  *   true of a build side whose keys can be read at this step of planning
  * @param pastRuns
  *   a reason against a filter in what it kept before
  * @param refuse
  *   takes each refusal that a user should hear of; the same one may come several times
  */
final private[rule] class PlanDynamicFilters(
    plan: SparkPlan,
    settings: DynamicFilterSettings,
    exchangesAreReused: Boolean,
    mayRead: BuildSide => Boolean,
    pastRuns: ScanFilter => Option[Verdict],
    refuse: RefusedFilter => Unit
) {
  private val reads = new SharedReads(plan)

  /** The filters of one side by the other, or why there are none; no filters either if that side has been read already.
    */
  private type Way = Either[RefusedFilter, Seq[WantedFilter]]

  /** The filters of one side of `join`.
    *
    * The first of these that tells the two sides apart decides: a hint asks for it; the whole other side filters it,
    * not a part; nothing else reads it; its scan is larger.
    */
  def of(join: BaseJoinExec): Seq[WantedFilter] = {
    val ways = waysOf(join)
    val filters = ways.collect { case Right(filters) if filters.nonEmpty => filters }
    val (asked, others) = ways.collect { case Left(refused) => refused }.partition(_.keys.isHinted)
    asked.foreach(refuse)
    if (settings.enabled && ways.forall(_.isLeft)) others.headOption.foreach(refuse)
    if (filters.isEmpty) Nil
    else filters.maxBy(_.map(filter =>
      (
        filter.keys.isHinted,
        !filter.isWithin,
        !reads.isShared(filter.column),
        filter.facts.probeBytes
      )
    ).max)
  }

  private def waysOf(join: BaseJoinExec): Seq[Way] = {
    val sides = Legality.filterable(join.joinType, Legality.isNullAware(join))
    val (left, right) = BuildSide.of(join)
    def pairs(probes: Seq[Expression], builds: Seq[Expression]) = probes.zip(builds).map {
      case (probe, build) =>
        JoinKeyPair(probe, build, DynamicFilterHint.of(join, probe, build))
    }
    Seq(
      (join.left, pairs(join.leftKeys, join.rightKeys), right, sides.left),
      (join.right, pairs(join.rightKeys, join.leftKeys), left, sides.right)
    ).flatMap {
      case (_, keys, _, false) => ifHinted(keys, Verdict.JoinNeedsAllRows(join.joinType.sql))
      case (_, keys, None, _) => ifHinted(keys, Verdict.NoExchange)
      case (probe, keys, Some(source), _) => if (mayRead(source)) Some(way(probe, keys, source)) else None
    }
  }

  private def apart[Refused, Found](ways: Seq[Either[Refused, Found]]): (Seq[Refused], Seq[Found]) =
    (ways.collect { case Left(refused) => refused }, ways.collect { case Right(found) => found })

  private def ifHinted(keys: Seq[JoinKeyPair], verdict: => Verdict): Option[Way] =
    keys.find(_.isHinted).map(asked => Left(RefusedFilter(asked, "", verdict)))

  private def way(probe: SparkPlan, keys: Seq[JoinKeyPair], source: BuildSide): Way = {
    val (refused, found) = apart(keys.zipWithIndex.map { case (pair, i) =>
      filters(probe, pair, keys.map(_.probe), source, i)
    })
    if (found.flatten.nonEmpty || refused.isEmpty) {
      refused.filter(_.keys.isHinted).foreach(refuse)
      Right(found.flatten)
    } else Left(refused.find(_.keys.isHinted).getOrElse(refused.head))
  }

  private def filters(
      probe: SparkPlan,
      keys: JoinKeyPair,
      all: Seq[Expression],
      source: BuildSide,
      key: Int
  ): Way = {
    lazy val traced = TraceProbeKey(probe, keys.probe, all)
    def refused(verdict: Verdict) = Left(RefusedFilter(keys, "", verdict))
    if (!keys.hint.getOrElse(settings.enabled)) refused(Verdict.HintOff)
    else if (!exchangesAreReused) refused(Verdict.ExchangeReuseOff)
    else unreadable(source, key).map(refused).getOrElse {
      if (traced.isEmpty && probe.exists(_.isInstanceOf[QueryStageExec])) Right(Nil)
      else if (traced.isEmpty) refused(Verdict.NoScanOfKey)
      else {
        val (refused, filters) =
          apart(traced.map(column => best(WantedFilter(column, keys, source, key))))
        refused.filter(_.signature.isDefined).foreach(refuse)
        if (filters.nonEmpty) Right(filters) else Left(refused.head)
      }
    }
  }

  /** The reason why the keys of a build side can't be had, if they can't. */
  private def unreadable(source: BuildSide, key: Int): Option[Verdict] = {
    val build = source.keys(key)
    if (KeyDomain.of(build.dataType).isEmpty) Some(Verdict.KeyTypeUnsupported(build.dataType.sql))
    else if (!build.deterministic || !source.isRepeatable) Some(Verdict.BuildNotRepeatable)
    else if (!source.isReused) Some(Verdict.BuildNotReused)
    else if (source.isCaching) Some(Verdict.BuildNotCached)
    else if (source.isStream) Some(Verdict.BuildIsStream)
    else None
  }

  /** The filter, or where its build side is too large to wait for, one by the smallest side within it that is worth it.
    */
  private def best(filter: WantedFilter): Either[RefusedFilter, WantedFilter] =
    refusal(filter) match {
      case None => Right(filter)
      case Some(refused) if !DynamicFilterCost.waitsTooLong(filter.facts) => Left(refused)
      case Some(refused) =>
        val worth = within(filter).filter(of => DynamicFilterCost.refusal(of.facts, settings).isEmpty)
        worth.sortBy(_.facts.buildBytes).headOption match {
          case Some(smallest) => refusal(smallest).toLeft(smallest)
          case None => Left(refused)
        }
    }

  private def within(filter: WantedFilter): Seq[WantedFilter] =
    BoundingSides(filter.source, filter.key).collect {
      case (source, key) if mayRead(source) && unreadable(source, key).isEmpty =>
        filter.copy(
          keys = filter.keys.copy(build = source.keys(key)),
          source = source,
          key = key,
          isWithin = true
        )
    }

  private def refusal(filter: WantedFilter): Option[RefusedFilter] = {
    import filter.{column, source}
    def refused(verdict: Verdict) = RefusedFilter(filter.keys, filter.scan, verdict)
    if (!PruneScan.canPrune(column, source.isBroadcast)) Some(refused(Verdict.ScanCannotSkip))
    else if (reads.isScannedForOthers(column)) Some(refused(Verdict.ScanShared))
    else if (filter.keys.hint.isDefined) None
    else DynamicFilterCost.refusal(filter.facts, settings).map(refused)
      .orElse(if (reads.isShared(column)) None else learned(ScanFilter(column, Seq(filter))))
  }

  private def learned(filter: ScanFilter): Option[RefusedFilter] = {
    val first = filter.wanted.head
    pastRuns(filter).map(RefusedFilter(first.keys, first.scan, _, Some(filter.signature)))
  }

  /** The reason why all the joins that read a shared exchange should not wait for each other's keys. */
  private def vain(filter: ScanFilter): Option[RefusedFilter] = {
    val first = filter.wanted.head
    val work = filter.wanted.map(_.source).filterNot(_.isFinished).map(BuildWork(_)).sum
    val facts =
      new DynamicFilterCost.Facts(filter.column, filter.testsRows, work, filter.waits, reduced = true)
    DynamicFilterCost.refusal(facts, settings).map(RefusedFilter(first.keys, first.scan, _))
      .orElse(learned(filter))
  }

  /** The filters of scans that come of those that joins want.
    *
    * Joins that read a shared exchange get one together, or none.
    */
  def placed(filters: Seq[WantedFilter]): Seq[ScanFilter] = {
    val (shared, alone) = filters.partition(filter => reads.isShared(filter.column))
    val united = reads.united(shared, filters.map(_.column.scan))
    shared.filterNot(filter => united.exists(_.column eq filter.column))
      .foreach(refuse(_, Verdict.ScanShared))
    val (refused, worth) =
      apart(united.map(filter => (if (filter.isHinted) None else vain(filter)).toLeft(filter)))
    refused.foreach(refuse)
    alone.map(filter => ScanFilter(filter.column, Seq(filter))) ++ worth
  }

  /** The filters without those that make copies of an exchange differ: Spark would have computed one for all of them.
    */
  def together(filters: Seq[ScanFilter], rebuilt: SparkPlan => SparkPlan): Seq[ScanFilter] = {
    val apart = reads.apart(rebuilt)
    val (dropped, kept) =
      filters.partition(filter => apart.exists(_.exists(_ eq filter.column.scan)))
    dropped.foreach(drop(_, Verdict.ScanShared))
    kept
  }

  /** Refuses a filter that had been chosen. */
  def drop(filter: ScanFilter, verdict: Verdict): Unit = filter.wanted.foreach(refuse(_, verdict))

  private def refuse(filter: WantedFilter, verdict: Verdict): Unit =
    refuse(RefusedFilter(filter.keys, filter.scan, verdict))
}
