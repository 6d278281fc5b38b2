package io.adaptivespark.join

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.execution.{FileSourceScanExec, SparkPlan}
import org.apache.spark.sql.execution.adaptive.QueryStageExec
import org.apache.spark.sql.execution.columnar.InMemoryTableScanExec
import org.apache.spark.sql.execution.exchange.{Exchange, ReusedExchangeExec, ShuffleExchangeExec}
import org.apache.spark.sql.execution.joins.BaseJoinExec
import org.slf4j.LoggerFactory

import io.adaptivespark.stats.DynamicFilterHistory

/** A filter that a join could use: `column` by the `key`-th key of `source`. */
final private[join] case class WantedFilter(column: KeyColumn, source: JoinSource, key: Int) {

  /** Whether a row costs more on its way to the join than testing it does. */
  def testsRows: Boolean = column.between.exists {
    case _: ShuffleExchangeExec | _: BaseJoinExec => true
    case _ => false
  }
}

/** A filter that a join can't use: the two sides of its condition, and the scan if one was found. */
final private[join] case class RefusedFilter(probe: Expression, build: Expression, scan: String, why: String)

/** Which filters the joins of a plan are given, and why others are not. */
final private[join] class ChooseFilters(plan: SparkPlan, settings: DynamicFilterSettings, exchangesAreReused: Boolean) {
  private val user = LoggerFactory.getLogger("io.adaptivespark.join.DynamicFilter")

  /** The filters of one side by the other, or why there are none. */
  private type Way = Either[RefusedFilter, Seq[WantedFilter]]

  /** The filters of one way through `join`: of the larger scan. */
  def of(join: BaseJoinExec, mayRead: JoinSource => Boolean): Seq[WantedFilter] = {
    val sides = Legality.filterable(join.joinType, Legality.isNullAware(join))
    val (left, right) = JoinSource.of(join)
    val ways = Seq(
      right.filter(source => sides.left && mayRead(source)).map(way(join.left, join.leftKeys, _)),
      left.filter(source => sides.right && mayRead(source)).map(way(join.right, join.rightKeys, _))
    ).flatten
    val filters = ways.collect { case Right(filters) => filters }
    if (filters.isEmpty) ways.collectFirst { case Left(refusal) => refuse(refusal) }
    filters.maxByOption(_.map(filter => ChooseFilters.bytes(filter.column.scan)).max).getOrElse(Nil)
  }

  private def way(probe: SparkPlan, probeKeys: Seq[Expression], source: JoinSource): Way = {
    val (reasons, found) = probeKeys.zip(source.keys).zipWithIndex.partitionMap { case ((probeKey, buildKey), i) =>
      columns(probe, probeKey, buildKey, source).left.map(why => (i, why)).map(_.map(WantedFilter(_, source, i)))
    }
    val filters = found.flatten
    if (filters.nonEmpty) Right(filters)
    else {
      val (i, (scan, why)) = reasons.head
      Left(RefusedFilter(probeKeys(i), source.keys(i), scan, why))
    }
  }

  private def columns(
      probe: SparkPlan,
      probeKey: Expression,
      buildKey: Expression,
      source: JoinSource
  ): Either[(String, String), Seq[KeyColumn]] = {
    lazy val traced = TraceKey(probe, probeKey)
    if (!exchangesAreReused) Left(("", "spark.sql.exchange.reuse is false, so that the build side would run twice"))
    else if (KeyType.of(buildKey.dataType).isEmpty)
      Left(("", s"keys of type ${buildKey.dataType.sql} can't be compared with what a file says of its values"))
    else if (!buildKey.deterministic || !source.isRepeatable)
      Left(("", "the build side may come out differently if a part of it is computed again"))
    else if (traced.isEmpty) Left(("", "no scan below gives this key unchanged"))
    else {
      val judged = traced.map(column => refusal(column, source).map((ChooseFilters.nameOf(column.scan), _)).toLeft(column))
      val columns = judged.collect { case Right(column) => column }
      if (columns.nonEmpty) Right(columns) else Left(judged.collectFirst { case Left(why) => why }.get)
    }
  }

  private def refusal(column: KeyColumn, source: JoinSource): Option[String] =
    if (!PruneScan.canPrune(column)) Some("its format can't skip data by this column")
    else if (shared.contains(column)) Some("what it reads is shared with another part of the query, which needs all of it")
    else WorthFiltering.refusal(
      WorthFiltering.Facts(
        ChooseFilters.bytes(column.scan),
        if (source.isFinished) 0 else ChooseFilters.bytes(source.exchange),
        waits = !source.isFinished &&
          !(source.isBroadcast && !column.between.exists(_.isInstanceOf[ShuffleExchangeExec])),
        source.isReduced
      ),
      settings
    )

  private def refuse(refusal: RefusedFilter): Unit = {
    val (probe, build) = (refusal.probe.sql, refusal.build.sql)
    if (settings.verbose) user.info(s"No dynamic filter on $probe by $build: ${refusal.why}.")
    DynamicFilterHistory.add(
      plan.session.sparkContext,
      DynamicFilterHistory.Entry(_, settings.queryTag, settings.runId, refusal.scan, probe, build, refusal.why, None, None)
    )
  }

  /** The exchanges and scans that occur more than once. Spark computes an exchange once for all who read it, so none of them may have it filtered. */
  private object shared {
    private lazy val exchanges = plan.collect { case exchange: Exchange => exchange } ++
      plan.subqueriesAll.flatMap(_.collect { case exchange: Exchange => exchange })
    private lazy val repeated = exchanges.map(_.canonicalized: SparkPlan).groupBy(identity).filter(_._2.size > 1).keySet

    def contains(column: KeyColumn): Boolean = column.between.exists {
      case exchange: Exchange => repeated.contains(exchange.canonicalized)
      case _ => false
    } || plan.collect { case scan if scan eq column.scan => scan }.size > 1
  }
}

private[join] object ChooseFilters {

  /** Bytes of the files that `scan` would read, unless they are pruned. */
  def bytes(scan: SparkPlan): Long = scan match {
    case files: FileSourceScanExec => files.relation.location.sizeInBytes
    case cached: InMemoryTableScanExec => cached.relation.computeStats().sizeInBytes.toLong
    case stage: QueryStageExec => bytes(stage.plan)
    case ReusedExchangeExec(_, exchange) => bytes(exchange)
    case other => other.children.map(bytes).sum
  }

  /** As a user knows it. */
  def nameOf(scan: SparkPlan): String = scan match {
    case files: FileSourceScanExec =>
      files.tableIdentifier.map(_.unquotedString).getOrElse(files.relation.location.rootPaths.mkString(", "))
    case cached: InMemoryTableScanExec => cached.relation.cacheBuilder.cachedName
    case stage: QueryStageExec => nameOf(stage.plan)
    case other => other.nodeName
  }
}
