package io.adaptivespark.join

import scala.collection.mutable

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.execution.{FileSourceScanExec, LocalTableScanExec, RangeExec, SparkPlan}
import org.apache.spark.sql.execution.adaptive.{AdaptiveSparkPlanExec, QueryStageExec}
import org.apache.spark.sql.execution.columnar.InMemoryTableScanExec
import org.apache.spark.sql.execution.datasources.v2.BatchScanExec
import org.apache.spark.sql.execution.exchange.{
  ENSURE_REQUIREMENTS,
  Exchange,
  ReusedExchangeExec,
  ShuffleExchangeExec
}
import org.apache.spark.sql.execution.joins.BaseJoinExec
import org.slf4j.LoggerFactory

import io.adaptivespark.AdaptiveSparkConf
import io.adaptivespark.hint.DynamicFilterHint
import io.adaptivespark.stats.{DynamicFilterHistory, KeptText, PruningMemory, QueryId, ScanName}

/** The two sides of a join's equality, and what a hint says of filtering by the second the rows of the first. */
final private[join] case class Compared(probe: Expression, build: Expression, hint: Option[Boolean]) {
  def isHinted: Boolean = hint.contains(true)
}

/** A filter that a join could use: `column` by the `key`-th key of `source`. */
final private[join] case class WantedFilter(column: KeyColumn, keys: Compared, source: JoinSource, key: Int) {

  /** Whether a row costs more on its way to the join than testing it does. */
  def testsRows: Boolean = column.between.exists {
    case _: ShuffleExchangeExec | _: BaseJoinExec => true
    case _ => false
  }

  /** Whether the scan would otherwise run while the build side does. */
  def waits: Boolean = !source.isFinished &&
    !(source.isBroadcast && !column.between.exists(_.isInstanceOf[ShuffleExchangeExec]))

  def scan: String = ScanName(column.scan)

  /** What this filter is in the next query with the same join, whatever its constants. */
  lazy val signature: String = {
    val name = s"$scan: ${keys.probe.sql} in keys of ${keys.build.sql}"
    s"${KeptText(name).take(WantedFilter.LongestName)} ${source.fingerprint(name)}"
  }
}

private object WantedFilter {
  private val LongestName = 300
}

/** A filter that a join can't use, and the scan if one was found.
  *
  * @param learned
  *   its signature, where it could be used but did not help before
  */
final private[join] case class RefusedFilter(
    keys: Compared,
    scan: String,
    why: String,
    learned: Option[String] = None
)

/** Which filters the joins of a plan are given, and why others are not. */
final private[join] class ChooseFilters(
    plan: SparkPlan,
    settings: DynamicFilterSettings,
    exchangesAreReused: Boolean
) {
  private val user = LoggerFactory.getLogger("io.adaptivespark.join.DynamicFilter")

  /** The filters of one side by the other, or why there are none; no filters either if that side has been read already. */
  private type Way = Either[RefusedFilter, Seq[WantedFilter]]

  /** The filters of one way through `join`: of the side that a hint asks for, or else of the larger scan. */
  def of(join: BaseJoinExec, mayRead: JoinSource => Boolean): Seq[WantedFilter] = {
    val sides = Legality.filterable(join.joinType, Legality.isNullAware(join))
    val (left, right) = JoinSource.of(join)
    def compared(probes: Seq[Expression], builds: Seq[Expression]) = probes.zip(builds).map {
      case (probe, build) =>
        Compared(probe, build, DynamicFilterHint.of(join, probe, build))
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
      (filter.keys.isHinted, ChooseFilters.bytes(filter.column.scan))
    ).max).getOrElse(Nil)
  }

  private def hinted(keys: Seq[Compared], why: => String): Option[Way] =
    keys.find(_.isHinted).map(asked => Left(RefusedFilter(asked, "", why)))

  private def way(probe: SparkPlan, keys: Seq[Compared], source: JoinSource): Way = {
    val (refused, found) = keys.zipWithIndex.partitionMap { case (compared, i) =>
      filters(probe, compared, source, i)
    }
    if (found.flatten.nonEmpty || refused.isEmpty) {
      refused.filter(_.keys.isHinted).foreach(refuse)
      Right(found.flatten)
    } else Left(refused.find(_.keys.isHinted).getOrElse(refused.head))
  }

  private def filters(probe: SparkPlan, keys: Compared, source: JoinSource, key: Int): Way = {
    lazy val traced = TraceKey(probe, keys.probe)
    def refused(why: String) = Left(RefusedFilter(keys, "", why))
    if (!keys.hint.getOrElse(settings.enabled)) refused(s"a hint says ${DynamicFilterHint.Off}")
    else if (!exchangesAreReused)
      refused("spark.sql.exchange.reuse is false, so that the build side would run twice")
    else if (KeyType.of(keys.build.dataType).isEmpty)
      refused(
        s"keys of type ${keys.build.dataType.sql} can't be compared with what a file says of its values"
      )
    else if (!keys.build.deterministic || !source.isRepeatable)
      refused("the build side may come out differently if a part of it is computed again")
    else if (!source.isReused)
      refused(
        "Spark can't tell that the build side's source is the same when it is read again, and would run it twice"
      )
    else if (traced.isEmpty && probe.exists(_.isInstanceOf[QueryStageExec])) Right(Nil)
    else if (traced.isEmpty) refused("no scan below gives this key unchanged")
    else {
      val (refused, filters) =
        traced.map(WantedFilter(_, keys, source, key)).partitionMap(of => refusal(of).toLeft(of))
      refused.filter(_.learned.isDefined).foreach(refuse)
      if (filters.nonEmpty) Right(filters) else Left(refused.head)
    }
  }

  private def refusal(filter: WantedFilter): Option[RefusedFilter] = {
    import filter.{column, source}
    def refused(why: String) = RefusedFilter(filter.keys, filter.scan, why)
    if (!PruneScan.canPrune(column, source.isBroadcast))
      Some(refused("its format can't skip data by this column, or Spark does already"))
    else if (shared.contains(column) || mayBeShared(column))
      Some(refused("what it reads is shared with another part of the query, which needs all of it"))
    else if (filter.keys.hint.isDefined) None
    else WorthFiltering.refusal(
      WorthFiltering.Facts(
        ChooseFilters.bytes(column.scan),
        if (source.isFinished) 0 else source.work,
        filter.waits,
        source.isReduced
      ),
      settings
    ).map(refused).orElse(if (filter.waits) learned(filter) else None)
  }

  /** Whether it was waited for in vain before. */
  private def learned(filter: WantedFilter): Option[RefusedFilter] = {
    val query = QueryId.of(plan.session.sparkContext)
    for (
      kept <- PruningMemory.expected(filter.signature, query, AdaptiveSparkConf.Prior.in(plan.conf));
      why <- WorthFiltering.refusal(kept)
    ) yield {
      PruningMemory.leaveOut(filter.signature, query, kept)
      RefusedFilter(filter.keys, filter.scan, why, Some(filter.signature))
    }
  }

  /** Says why a filter that was chosen is not there after all. */
  def refuse(filter: WantedFilter, why: String): Unit =
    refuse(RefusedFilter(filter.keys, filter.scan, why))

  private def refuse(refused: RefusedFilter): Unit = {
    val probe = KeptText(refused.keys.probe.sql)
    val build = KeptText(refused.keys.build.sql)
    val isNew = DynamicFilterHistory.add(
      plan.session.sparkContext,
      DynamicFilterHistory.Entry(
        _,
        settings.queryTag,
        settings.runId,
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

  // A source's scan takes filters for good, and a CTE that Spark computes once is read by other plans of the query too.
  private def mayBeShared(column: KeyColumn): Boolean = column.scan.isInstanceOf[BatchScanExec] &&
    column.between.exists {
      case shuffle: ShuffleExchangeExec => shuffle.shuffleOrigin != ENSURE_REQUIREMENTS
      case _ => false
    }

  /** The exchanges and scans that occur more than once. Spark computes an exchange once for all who read it, so none of them may have it filtered. */
  private object shared {
    private lazy val repeated = {
      val times = mutable.HashMap.empty[SparkPlan, Int]
      def count(plan: SparkPlan): Unit = plan match {
        case exchange: Exchange =>
          val found = times.updateWith(exchange.canonicalized)(before => Some(before.getOrElse(0) + 1))
          // What is within is computed once as well, and filtered alike wherever the exchange stands.
          if (found.contains(1)) exchange.children.foreach(count)
        case adaptive: AdaptiveSparkPlanExec => count(adaptive.inputPlan)
        case other => other.children.foreach(count)
      }
      (plan +: plan.subqueriesAll).foreach(count)
      times.collect { case (exchange, n) if n > 1 => exchange }.toSet
    }

    def contains(column: KeyColumn): Boolean = column.between.exists {
      case exchange: Exchange => repeated.contains(exchange.canonicalized)
      case _ => false
    } || plan.collect { case scan if same(scan, column.scan) => scan }.size > 1

    // A source's scan takes filters for good.
    private def same(a: SparkPlan, b: SparkPlan): Boolean = (a, b) match {
      case (a: BatchScanExec, b: BatchScanExec) => a.scan eq b.scan
      case _ => a eq b
    }
  }
}

private[join] object ChooseFilters {

  /** Bytes of the files that `scan` would read, unless they are pruned. */
  def bytes(scan: SparkPlan): Long = scan match {
    case files: FileSourceScanExec => atMost(files.relation.location.sizeInBytes)
    case cached: InMemoryTableScanExec => atMost(cached.relation.computeStats().sizeInBytes)
    case source: BatchScanExec =>
      atMost(source.logicalLink.fold(MostBytes)(_.collectLeaves().map(_.stats.sizeInBytes).sum))
    case stage: QueryStageExec => bytes(stage.plan)
    case ReusedExchangeExec(_, exchange) => bytes(exchange)
    case _: LocalTableScanExec | _: RangeExec => 0
    case other => if (other.children.isEmpty) atMost(MostBytes) else other.children.map(bytes).sum
  }

  // Of a source that does not tell. The largest number would not add up.
  private val MostBytes = BigInt(Long.MaxValue >> 16)
  private def atMost(bytes: BigInt): Long = bytes.min(MostBytes).toLong
}
