package io.adaptivespark.join.rule

import java.util.IdentityHashMap

import scala.collection.mutable

import org.apache.spark.sql.catalyst.expressions.{BindReferences, Expression}
import org.apache.spark.sql.execution._
import org.apache.spark.sql.execution.adaptive.AdaptiveSparkPlanExec
import org.apache.spark.sql.execution.exchange.{ENSURE_REQUIREMENTS, Exchange, ShuffleExchangeExec}

import io.adaptivespark.filter.exec.AdaptiveFilter
import io.adaptivespark.join.build.RepeatableRows
import io.adaptivespark.join.exec.{CollectKeysExec, DynamicFilterExec}
import io.adaptivespark.join.scan.ProbeColumn
import io.adaptivespark.shim.JavaCollections._

/** The exchanges and scans that a plan reads more than once.
  *
  * Spark computes an exchange once for all who read it, so none of them may have it filtered for itself.
  */
final private[adaptivespark] class SharedReads(plan: SparkPlan) {

  // Subqueries have been planned by now. An exchange that is filtered in one of them is shared with no other
  // part, unless that comes to be filtered alike; and it takes less time to read a scan again with a filter
  // than to sort and join it without.
  private lazy val subqueries = SharedReads.subqueriesOf(plan)
  private lazy val reusable: Seq[Exchange] =
    exchangesIn(plan) ++ subqueries.flatMap(exchangesIn).filterNot(SharedReads.isScan)
  private lazy val equal: Map[SparkPlan, Seq[Exchange]] = reusable.groupBy(form)

  private val forms = new IdentityHashMap[Exchange, SparkPlan].asScala
  private def form(exchange: Exchange): SparkPlan =
    if (subqueries.isEmpty) exchange.canonicalized
    else forms.getOrElseUpdate(exchange, SharedReads.asPlanned(exchange).canonicalized)

  /** The exchanges that are one to Spark, by their canonical form, where there are several of them;
    * within such a one they count once.
    */
  private lazy val repeated: Map[SparkPlan, Seq[Exchange]] = {
    val times = mutable.HashMap.empty[SparkPlan, Int].withDefaultValue(0)
    def count(plan: SparkPlan): Unit = plan match {
      case exchange: Exchange if reusable.exists(_ eq exchange) =>
        times(form(exchange)) += 1
        if (times(form(exchange)) == 1) exchange.children.foreach(count)
      case adaptive: AdaptiveSparkPlanExec => count(adaptive.initialPlan)
      case other => other.children.foreach(count)
    }
    (plan +: subqueries).foreach(count)
    equal.filter { case (one, _) => times(one) > 1 }
  }

  private def exchangesIn(plan: SparkPlan): Seq[Exchange] = plan.collect {
    case exchange: Exchange if !exchange.exists(_.isInstanceOf[DynamicFilterExec]) => Seq(exchange)
    case adaptive: AdaptiveSparkPlanExec => exchangesIn(adaptive.initialPlan)
  }.flatten

  /** True of a column below an exchange that others read too. */
  def isShared(column: ProbeColumn): Boolean = exchanges(column).nonEmpty

  private def exchanges(column: ProbeColumn): Seq[Exchange] = column.between.collect {
    case exchange: Exchange if repeated.contains(form(exchange)) => exchange
  }

  /** The exchanges that occur several times and are one no longer. */
  def apart(rebuilt: SparkPlan => SparkPlan): Seq[Exchange] =
    equal.values.filter(all =>
      all.size > 1 && all.map(rebuilt(_).canonicalized).distinct.size > 1
    ).flatten.toVector

  /** True of a column whose scan has readers that no filter suits. */
  def isScannedForOthers(column: ProbeColumn): Boolean =
    mayBeShared(column) || column.kind.isLooped || isPlannedAgain(column) || {
      val kind = column.kind
      plan.collect { case scan if (scan eq column.scan) || kind.sharesPredicates(scan) => scan }.size > 1
    }

  // Where partitions are pruned by more than broadcasts, adaptive execution plans the other side once more, when that
  // may have been filtered: its subquery would be taken for that of another copy, which was not, or by other keys.
  private def isPlannedAgain(column: ProbeColumn): Boolean = subqueries.exists {
    case pruning: SubqueryAdaptiveBroadcastExec =>
      !pruning.onlyInBroadcast && column.kind.sharesPredicates(pruning.buildPlan)
    case _ => false
  }

  // A CTE that Spark computes once, since it might come out otherwise, is read by other plans of the query too, which
  // get what a source has taken for good.
  private def mayBeShared(column: ProbeColumn): Boolean = column.between.exists {
    case shuffle: ShuffleExchangeExec if shuffle.shuffleOrigin != ENSURE_REQUIREMENTS =>
      column.kind.keepsPredicates || !RepeatableRows(shuffle)
    case _ => false
  }

  /** One filter for all who read a shared exchange, of each column for which each of them wants
    * one: by the keys of all of them.
    *
    * @param shared
    *   filters of columns that are shared
    * @param scans
    *   all scans that get filters: a build side with one of them may be waiting for this very exchange
    */
  def united(shared: Seq[WantedFilter], scans: Seq[SparkPlan]): Seq[ScanFilter] = {
    val plain = shared.filterNot(_.source.exchange.exists(node => scans.exists(_ eq node)))
    repeated.values.toVector.flatMap { readers =>
      val wanted =
        readers.map(reader => plain.filter(of => onlyOne(exchanges(of.column)).exists(_ eq reader)))
      val places = readers.zip(wanted).map { case (reader, filters) =>
        filters.map(of => SharedReads.place(reader, of) -> of)
      }
      for {
        place <- places.map(_.map(_._1)).reduce(_ intersect _).distinct
        ofEach = places.map(_.collectFirst { case (`place`, of) => of }.get)
        own <- ofEach
      } yield ScanFilter(own.column, SharedReads.ofDistinctKeys(ofEach))
    }
  }

  private def onlyOne[T](all: Seq[T]): Option[T] = if (all.size == 1) Some(all.head) else None
}

private object SharedReads {

  /** The subqueries of a plan, and those within them. */
  private def subqueriesOf(plan: SparkPlan): Seq[SparkPlan] = {
    val found = plan.subqueriesAll
    found ++ found.flatMap(_.collect { case adaptive: AdaptiveSparkPlanExec => adaptive.initialPlan })
      .flatMap(subqueriesOf)
  }

  /** True where nothing but a scan and its filter lies below. */
  private def isScan(exchange: Exchange): Boolean = exchange.children.forall(!_.exists {
    case _: FilterExec | _: AdaptiveFilter | _: ProjectExec | _: LeafExecNode => false
    case _: ColumnarToRowExec | _: InputAdapter | _: WholeStageCodegenExec => false
    case _ => true
  })

  /** The plan before the steps that Spark takes after the rules that place filters. */
  private def asPlanned(plan: SparkPlan): SparkPlan = plan match {
    case _: WholeStageCodegenExec | _: InputAdapter | _: ColumnarToRowExec | _: CollectKeysExec =>
      asPlanned(plan.children.head)
    case filter: AdaptiveFilter => FilterExec(filter.condition, asPlanned(filter.child))
    case other => other.mapChildren(asPlanned)
  }

  /** The number of the scan below `exchange` and the key over its output, which all copies
    * of the exchange have in common.
    */
  private def place(exchange: Exchange, filter: WantedFilter): (Int, Expression) = {
    import filter.column.{key, scan}
    (exchange.collectLeaves().indexWhere(_ eq scan), BindReferences.bindReference(key, scan.output))
  }

  private def ofDistinctKeys(filters: Seq[WantedFilter]): Seq[WantedFilter] = {
    val seen = mutable.HashSet.empty[(SparkPlan, Expression)]
    filters.filter(filter => seen.add(keys(filter)))
  }

  /** The build keys of a filter, which all copies of their exchange have in common. */
  private def keys(filter: WantedFilter): (SparkPlan, Expression) = {
    import filter.source.exchange
    val key = filter.source.keys(filter.key)
    (exchange.canonicalized, BindReferences.bindReference(key, exchange.output))
  }
}
