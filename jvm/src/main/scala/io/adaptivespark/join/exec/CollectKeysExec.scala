package io.adaptivespark.join.exec

import scala.util.control.NonFatal

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Attribute, BindReferences, Expression, SortOrder}
import org.apache.spark.sql.catalyst.plans.physical.Partitioning
import org.apache.spark.sql.execution.{SparkPlan, UnaryExecNode}
import org.apache.spark.sql.execution.adaptivespark.MapPartitions

import io.adaptivespark.join.keys.KeySummary
import io.adaptivespark.join.keys.collecting.{CollectedKeys, RowKeyCollector}
import io.adaptivespark.shim.SortMergeSafe

/** Passes rows on to a shuffle and sends the driver their distinct keys, as long as these are few: then no job has
  * to read them from the shuffle.
  *
  * Its canonical form is that of its child, whose rows these are: to Spark an exchange is the same with it and without.
  * Where the one without is run for both, keys are read from the shuffle.
  *
  * @param keys
  *   over the output of `child`
  * @param collected
  *   the accumulator of the keys, which all copies of this node share
  */
case class CollectKeysExec(child: SparkPlan, keys: Seq[Expression])(@transient val collected: CollectedKeys)
    extends UnaryExecNode with SortMergeSafe {

  override def nodeName: String = "CollectKeys"
  override def output: Seq[Attribute] = child.output
  override def outputPartitioning: Partitioning = child.outputPartitioning
  override def outputOrdering: Seq[SortOrder] = child.outputOrdering
  override protected def otherCopyArgs: Seq[AnyRef] = Seq(collected)
  override protected def doCanonicalize(): SparkPlan = child.canonicalized
  override protected def withNewChildInternal(newChild: SparkPlan): SparkPlan =
    copy(child = newChild)(collected)

  override protected def doExecute(): RDD[InternalRow] = {
    val rows = child.execute()
    if (!collected.begin(sparkContext, rows.getNumPartitions)) rows
    else {
      val (over, to) = (bound, collected)
      MapPartitions.withIndex(rows)((partition, rows) =>
        new CollectingRows(rows, over, keys => to.add((partition, keys)))
      )
    }
  }

  private def bound: Seq[Expression] = keys.map(BindReferences.bindReference(_, child.output))

  /** The keys that all rows hold of `wanted`, which are bound to the output; none where they were
    * not collected, or were too many.
    */
  private[adaptivespark] def found(wanted: Seq[Expression]): Option[Seq[KeySummary[_]]] = {
    val positions = wanted.map(bound.indexOf(_))
    if (positions.contains(-1)) None else collected.value.map(positions.map(_))
  }
}

/** The rows of a task on their way. Once all have been read, their keys are told, if they are few enough. */
final private class CollectingRows(
    rows: Iterator[InternalRow],
    keys: Seq[Expression],
    tell: CollectedKeys.Keys => Unit
) extends Iterator[InternalRow] {
  private val collector = new RowKeyCollector(keys, CollectedKeys.Limits)
  private var isFew = true
  private var isTold = false

  override def hasNext: Boolean = rows.hasNext || {
    if (!isTold) tell(if (isFew) Some(collector.summaries) else None)
    isTold = true
    false
  }

  override def next(): InternalRow = {
    val row = rows.next()
    if (isFew) isFew =
      try {
        collector.add(row)
        collector.fits
      } catch {
        // The join may never come to evaluate this key: the error is not the query's.
        case NonFatal(_) => false
      }
    row
  }
}
