package io.adaptivespark.filter.run

import scala.util.Try

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.plans.logical.{Filter, LogicalPlan}
import org.apache.spark.sql.catalyst.plans.logical.statsEstimation.FilterEstimation
import org.apache.spark.sql.internal.SQLConf

import io.adaptivespark.filter.order.{
  Evidence,
  LearnedOrder,
  OrderPolicy,
  PrecedenceOrder,
  PredicateShape,
  RankPolicy
}
import io.adaptivespark.filter.plan.{Conjunct, PredicateTree, Segment}

/** Order of a segment before its query has measured anything: by a hint, else by what an earlier query
  * learned, else by column statistics, else by the structure of the tree.
  */
private[adaptivespark] object InitialOrder {

  /** The initial order.
    *
    * @param prior
    *   evidence from earlier queries on the segment's leaves
    * @param selectivities
    *   by leaf, the share of rows expected to pass; none if there are no column statistics
    */
  def of(
      leaves: IndexedSeq[Conjunct],
      segment: Segment,
      policy: OrderPolicy,
      prior: Option[Evidence],
      selectivities: => Option[IndexedSeq[Option[Double]]]
  ): LearnedOrder = {
    val shape = segment.shape
    val mayThrow = leaves.map(_.mayThrow)
    val written = LearnedOrder.written(shape)
    (segment.hinted, prior) match {
      case (Some(hinted), _) =>
        val root = byCost(0, shape, hinted.indices.map(hinted.indexOf(_) + 1.0), mayThrow)
        written.copy(orders = root +: byStructure(shape, mayThrow).tail)
      case (None, Some(evidence)) =>
        policy.next(written, evidence, shape, mayThrow).copy(epoch = EpochsOfPrior)
      case (None, None) =>
        val orders = selectivities match {
          case Some(known) => byStatistics(leaves, shape, known)
          case None => byStructure(shape, mayThrow)
        }
        written.copy(orders = orders)
    }
  }

  /** By leaf, the selectivity that Spark's cost-based optimizer expects; none if it has no statistics of
    * any column.
    */
  def selectivities(
      leaves: IndexedSeq[Conjunct],
      below: Option[LogicalPlan],
      conf: SQLConf
  ): Option[IndexedSeq[Option[Double]]] =
    if (!conf.cboEnabled) None
    else {
      val relations = below.toSeq.flatMap(_.collectLeaves()).filter(_.stats.attributeStats.nonEmpty)
      val known = leaves.map(leaf =>
        relations.find(r => leaf.expression.references.subsetOf(r.outputSet)).flatMap(expected(
          leaf.expression,
          _
        ))
      )
      if (known.exists(_.isDefined)) Some(known) else None
    }

  // The estimate may meet values that it cannot compare. A guess is not worth failing for.
  private def expected(predicate: Expression, relation: LogicalPlan): Option[Double] =
    Try(FilterEstimation(Filter(predicate, relation)).calculateFilterSelectivity(
      predicate,
      update = false
    )).toOption.flatten

  private def byStatistics(
      leaves: IndexedSeq[Conjunct],
      shape: PredicateShape,
      known: IndexedSeq[Option[Double]]
  ): IndexedSeq[IndexedSeq[Int]] = {
    val rows = 1000000L
    val guess = new Evidence(
      Array.fill(leaves.size)(rows),
      known.map(share => (share.getOrElse(UnknownShare) * rows).toLong).toArray,
      leaves.map(leaf => rows * (if (PredicateTree.isCostly(leaf.expression)) CostlyToCheap else 1L)).toArray
    )
    RankPolicy(momentum = 0, margin = 0)
      .next(LearnedOrder.written(shape), guess, shape, leaves.map(_.mayThrow))
      .orders
  }

  /** Orders by the cost of nested filters without statistics: a leaf `LeafCost`, an AND the product of its
    * children, an OR `OrFactor` times their sum.
    */
  private def byStructure(
      shape: PredicateShape,
      mayThrow: IndexedSeq[Boolean]
  ): IndexedSeq[IndexedSeq[Int]] = {
    def cost(child: Int): Double =
      if (child >= 0) LeafCost
      else {
        val below = shape.nodes(~child).children.map(cost)
        if (shape.nodes(~child).isConjunction) below.product else OrFactor * below.sum
      }
    shape.nodes.zipWithIndex.map { case (node, at) => byCost(at, shape, node.children.map(cost), mayThrow) }
  }

  private def byCost(
      at: Int,
      shape: PredicateShape,
      costs: IndexedSeq[Double],
      mayThrow: IndexedSeq[Boolean]
  ): IndexedSeq[Int] =
    if (at == 0)
      PrecedenceOrder.sort(costs, costs.map(_ => UnknownShare), OrderPolicy.rootMayThrow(shape, mayThrow))
    else costs.indices.sortBy(costs)

  // Exported to the dbt adapter, whose bulk filters are written in this order.
  val LeafCost = 0.1
  val OrFactor = 10.0
  private val UnknownShare = 0.5
  private val CostlyToCheap = 10L

  // Epochs that a prior stands for, so that a cold start's first samples do not overturn it.
  private val EpochsOfPrior = 5
}
