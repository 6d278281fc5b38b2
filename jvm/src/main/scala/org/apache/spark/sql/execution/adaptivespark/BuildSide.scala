package org.apache.spark.sql.execution.adaptivespark

import org.apache.spark.MapOutputStatistics
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{BoundReference, Expression}
import org.apache.spark.sql.execution.{CoalescedPartitionSpec, ShufflePartitionSpec, SparkPlan}
import org.apache.spark.sql.execution.exchange.ShuffleExchangeExec
import org.apache.spark.sql.execution.joins.{HashedRelation, HashJoin, LongHashedRelation}

/** What joins keep of their build sides, which is private to Spark SQL. */
object BuildSide {

  /** A relation that joins look their rows up in. */
  final class Relation private[BuildSide] (private[BuildSide] val relation: HashedRelation)

  // More tasks would cost more to start than they save.
  private val MostTasks = 16
  private val BytesOfTask = 8L << 20

  /** The relation of a broadcast, once it is there. */
  def relation(broadcast: SparkPlan): Relation =
    new Relation(broadcast.executeBroadcast[HashedRelation]().value)

  def bytes(relation: Relation): Long = relation.relation.estimatedSize

  /** A row a key, in the relation's own form; a key may come several times. */
  def keys(relation: Relation): Iterator[InternalRow] = relation.relation.keys()

  /** The `i`-th of a join's keys over a row of [[keys]]: Spark packs several short ones into one long. */
  def key(relation: Relation, joinKeys: Seq[Expression], i: Int): Expression = relation.relation match {
    case _: LongHashedRelation => HashJoin.extractKeyExprAt(joinKeys, i)
    case _ => BoundReference(i, joinKeys(i).dataType, joinKeys(i).nullable)
  }

  /** Bytes by reducer; none where there was nothing to shuffle. */
  def sizes(statistics: MapOutputStatistics): IndexedSeq[Long] =
    Option(statistics).fold(IndexedSeq.empty[Long])(_.bytesByPartitionId.toIndexedSeq)

  val noTasks: Array[ShufflePartitionSpec] = Array.empty

  /** Reducers of these sizes, as ranges for a few tasks to read. */
  def tasks(sizes: IndexedSeq[Long]): Array[ShufflePartitionSpec] = {
    val target = math.max(BytesOfTask, sizes.sum / MostTasks + 1)
    val starts = sizes.indices.foldLeft((Vector.empty[Int], Long.MaxValue)) {
      case ((starts, bytes), i) if bytes >= target => (starts :+ i, sizes(i))
      case ((starts, bytes), i) => (starts, bytes + sizes(i))
    }._1
    starts.zip(starts.drop(1) :+ sizes.size).map { case (from, until) =>
      CoalescedPartitionSpec(from, until)
    }.toArray
  }

  /** Rows that were written to a finished shuffle. */
  def rowCount(exchange: ShuffleExchangeExec): Option[Long] =
    exchange.runtimeStatistics.rowCount.filter(_.isValidLong).map(_.toLong)

  /** The rows of a finished shuffle. */
  def rows(exchange: ShuffleExchangeExec, tasks: Array[ShufflePartitionSpec]): RDD[InternalRow] =
    exchange.getShuffleRDD(tasks).asInstanceOf[RDD[InternalRow]]
}
