package io.adaptivespark.join.rule

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.adaptive.QueryStageExec
import org.apache.spark.sql.execution.joins.BaseJoinExec
import org.slf4j.LoggerFactory

import io.adaptivespark.conf.DynamicFilterSettings
import io.adaptivespark.hint.DynamicFilterHint
import io.adaptivespark.history.{
  DriverMemory,
  DynamicFilterHistory,
  PruningMemory,
  QueryLabels,
  RedactedText,
  WrittenSql
}
import io.adaptivespark.join.keys.KeyType
import io.adaptivespark.join.scan.PruneScan

/** Which filters the joins of a plan are given, and why others are not. */
final private[adaptivespark] class PlanDynamicFilters(
    plan: SparkPlan,
    settings: DynamicFilterSettings,
    exchangesAreReused: Boolean,
    mayRead: BuildSide => Boolean
) {
  private val reads = new SharedReads(plan)
  private val memory = DriverMemory.of(plan.session.sparkContext)
  private val labels = QueryLabels.of(plan.session.sparkContext, settings.queryTag, settings.runId)
  private val user = LoggerFactory.getLogger("io.adaptivespark.join.DynamicFilter")

  /** The filters of one side by the other, or why there are none; no filters either if that side has been read already. */
  private type Way = Either[RefusedFilter, Seq[WantedFilter]]

  /** The filters of one way through `join`: of the side that a hint asks for; else of one that the whole build side filters, that nothing else reads, or of the larger scan. */
  def of(join: BaseJoinExec): Seq[WantedFilter] = {
    val sides = Legality.filterable(join.joinType, Legality.isNullAware(join))
    val (left, right) = BuildSide.of(join)
    def compared(probes: Seq[Expression], builds: Seq[Expression]) = probes.zip(builds).map {
      case (probe, build) =>
        JoinKeyPair(probe, build, DynamicFilterHint.of(join, probe, build))
    }
    val ways = Seq(
      (join.left, compared(join.leftKeys, join.rightKeys), right, sides.left),
      (join.right, compared(join.rightKeys, join.leftKeys), left, sides.right)
    ).flatMap {
      case (_, keys, _, false) => hinted(keys, s"a ${join.joinType} join needs all rows of this side")
      case (_, keys, None, _) => hinted(keys, "this side is the one that the join reads first")
      case (probe, keys, Some(source), _) => Option.when(mayRead(source))(way(probe, keys, source))
    }
    val filters = ways.collect { case Right(filters) if filters.nonEmpty => filters }
    val (asked, others) = ways.collect { case Left(refused) => refused }.partition(_.keys.isHinted)
    asked.foreach(refuse)
    if (settings.enabled && ways.forall(_.isLeft)) others.headOption.foreach(refuse)
    filters.maxByOption(_.map(filter =>
      (
        filter.keys.isHinted,
        !filter.isWithin,
        !reads.isShared(filter.column),
        filter.facts.probeBytes
      )
    ).max).getOrElse(Nil)
  }

  private def hinted(keys: Seq[JoinKeyPair], why: => String): Option[Way] =
    keys.find(_.isHinted).map(asked => Left(RefusedFilter(asked, "", why)))

  private def way(probe: SparkPlan, keys: Seq[JoinKeyPair], source: BuildSide): Way = {
    val (refused, found) = keys.zipWithIndex.partitionMap { case (compared, i) =>
      filters(probe, compared, keys.map(_.probe), source, i)
    }
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
    def refused(why: String) = Left(RefusedFilter(keys, "", why))
    if (!keys.hint.getOrElse(settings.enabled)) refused(s"a hint says ${DynamicFilterHint.Off}")
    else if (!exchangesAreReused)
      refused("spark.sql.exchange.reuse is false, so that the build side would run twice")
    else unreadable(source, key).map(refused).getOrElse {
      if (traced.isEmpty && probe.exists(_.isInstanceOf[QueryStageExec])) Right(Nil)
      else if (traced.isEmpty) refused("no scan below gives this key unchanged")
      else {
        val (refused, filters) =
          traced.partitionMap(column => best(WantedFilter(column, keys, source, key)))
        refused.filter(_.learned.isDefined).foreach(refuse)
        if (filters.nonEmpty) Right(filters) else Left(refused.head)
      }
    }
  }

  /** Why the keys of a source can't be had, if they can't. */
  private def unreadable(source: BuildSide, key: Int): Option[String] = {
    val build = source.keys(key)
    if (KeyType.of(build.dataType).isEmpty)
      Some(s"keys of type ${build.dataType.sql} can't be compared with what a file says of its values")
    else if (!build.deterministic || !source.isRepeatable)
      Some("the build side may come out differently if a part of it is computed again")
    else if (!source.isReused)
      Some(
        "Spark can't tell that the build side's source is the same when it is read again, and would run it twice"
      )
    else if (source.isCaching)
      Some("the build side's cached table is not there yet, and would be computed twice")
    else if (source.isStream) Some("its progress would count the build side's rows twice")
    else None
  }

  /** The filter, or where its build side is too large to wait for, one by a smaller source within it that has all of its keys. */
  private def best(filter: WantedFilter): Either[RefusedFilter, WantedFilter] =
    refusal(filter) match {
      case None => Right(filter)
      case Some(why) if !DynamicFilterCost.waitsTooLong(filter.facts) => Left(why)
      case Some(why) =>
        val within = filter.source.within(filter.key).collect {
          case (source, key) if mayRead(source) && unreadable(source, key).isEmpty =>
            filter.copy(
              keys = filter.keys.copy(build = source.keys(key)),
              source = source,
              key = key,
              isWithin = true
            )
        }
        val worth = within.filter(of => DynamicFilterCost.refusal(of.facts, settings).isEmpty)
        worth.minByOption(_.facts.buildBytes) match {
          case Some(smallest) => refusal(smallest).toLeft(smallest)
          case None => Left(why)
        }
    }

  private def refusal(filter: WantedFilter): Option[RefusedFilter] = {
    import filter.{column, source}
    def refused(why: String) = RefusedFilter(filter.keys, filter.scan, why)
    if (!PruneScan.canPrune(column, source.isBroadcast))
      Some(refused("its format can't skip data by this column, or Spark does already"))
    else if (reads.isScannedForOthers(column)) Some(refused(PlanDynamicFilters.Shared))
    else if (filter.keys.hint.isDefined) None
    else DynamicFilterCost.refusal(filter.facts, settings).map(refused)
      .orElse(if (reads.isShared(column)) None else learned(ScanFilter(column, Seq(filter))))
  }

  /** Whether it was waited for in vain before. */
  private def learned(filter: ScanFilter): Option[RefusedFilter] = {
    import filter.{signature, wanted}
    val known = memory.pruningMemory
    val key = PruningMemory.Key(memory.learners(labels.user), signature, settings.queryTag)
    for (
      kept <-
        if (filter.waits) known.expected(key, labels.queryId, memory.priors.of(labels)) else None;
      why <- DynamicFilterCost.refusal(kept)
    ) yield {
      known.leaveOut(key, labels.queryId, kept)
      RefusedFilter(wanted.head.keys, wanted.head.scan, why, Some(signature))
    }
  }

  /** Why all the joins that read a shared exchange should not wait for each other's keys. */
  private def vain(filter: ScanFilter): Option[RefusedFilter] = {
    val first = filter.wanted.head
    val work = filter.wanted.map(_.source).filterNot(_.isFinished).map(_.work).sum
    val facts =
      new DynamicFilterCost.Facts(filter.column, filter.testsRows, work, filter.waits, reduced = true)
    DynamicFilterCost.refusal(
      facts,
      settings
    ).map(RefusedFilter(first.keys, first.scan, _)).orElse(learned(filter))
  }

  /** What the scans get of the filters that joins want. */
  def placed(filters: Seq[WantedFilter]): Seq[ScanFilter] = {
    val (shared, alone) = filters.partition(filter => reads.isShared(filter.column))
    val united = reads.united(shared, filters.map(_.column.scan))
    shared.filterNot(filter => united.exists(_.column eq filter.column)).foreach(refuse(
      _,
      PlanDynamicFilters.Shared
    ))
    val (refused, worth) =
      united.partitionMap(filter => (if (filter.isHinted) None else vain(filter)).toLeft(filter))
    refused.foreach(refuse)
    alone.map(filter => ScanFilter(filter.column, Seq(filter))) ++ worth
  }

  /** Says why a filter that was chosen is not there after all. */
  def refuse(filter: ScanFilter, why: String): Unit = filter.wanted.foreach(refuse(_, why))

  /** The filters without those that make copies of an exchange differ, of which Spark would have computed one. */
  def together(filters: Seq[ScanFilter], rebuilt: SparkPlan => SparkPlan): Seq[ScanFilter] = {
    val apart = reads.apart(rebuilt)
    val (dropped, kept) =
      filters.partition(filter => apart.exists(_.exists(_ eq filter.column.scan)))
    dropped.foreach(refuse(_, PlanDynamicFilters.Shared))
    kept
  }

  private def refuse(filter: WantedFilter, why: String): Unit =
    refuse(RefusedFilter(filter.keys, filter.scan, why))

  private def refuse(refused: RefusedFilter): Unit = {
    val probe = RedactedText(WrittenSql(refused.keys.probe, plan))
    val build = RedactedText(WrittenSql(refused.keys.build, plan))
    val isNew = memory.dynamicFilters.add(
      DynamicFilterHistory.Entry(
        labels,
        refused.scan,
        probe,
        build,
        refused.why,
        refused.learned,
        None,
        None
      )
    )
    if (isNew && refused.keys.isHinted)
      user.warn(s"${DynamicFilterHint.On} has no effect on $probe by $build: ${refused.why}.")
    else if (isNew && settings.verbose) user.info(s"No dynamic filter on $probe by $build: ${refused.why}.")
  }
}

private[adaptivespark] object PlanDynamicFilters {
  private val Shared = "what it reads is shared with another part of the query, which needs all of it"
}
