package org.apache.spark.sql.execution.adaptivespark

import scala.annotation.tailrec

import org.apache.spark.MapOutputStatistics
import org.apache.spark.broadcast.Broadcast
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{BoundReference, Expression}
import org.apache.spark.sql.catalyst.plans.logical.Statistics
import org.apache.spark.sql.execution.{CoalescedPartitionSpec, ShufflePartitionSpec, SparkPlan}
import org.apache.spark.sql.execution.adaptive.BroadcastQueryStageExec
import org.apache.spark.sql.execution.exchange.{
  BroadcastExchangeLike,
  ReusedExchangeExec,
  ShuffleExchangeExec
}
import org.apache.spark.sql.execution.joins.{HashedRelation, HashJoin, LongHashedRelation}

/** What joins keep of their build sides, which is private to Spark SQL. */
object ExchangeRows {

  /** A relation that joins look their rows up in. The driver has it serialized until something of it is asked for.
    *
    * @param bytes
    *   in memory
    */
  final class Relation private[ExchangeRows] (
      val bytes: Long,
      val rows: Option[Long],
      val broadcast: Broadcast[HashedRelation]
  ) {

    /** A row a key, in the relation's own form; a key may come several times. */
    def keys: Iterator[InternalRow] = broadcast.value.keys()

    /** The `i`-th of a join's keys over a row of [[keys]]: Spark packs several short ones into one long. */
    def key(joinKeys: Seq[Expression], i: Int): Expression = broadcast.value match {
      case _: LongHashedRelation => HashJoin.extractKeyExprAt(joinKeys, i)
      case _ => BoundReference(i, joinKeys(i).dataType, joinKeys(i).nullable)
    }
  }

  // More tasks would cost more to start than they save.
  private val MostTasks = 16
  private val BytesOfTask = 8L << 20

  /** The relation of a broadcast, once it is there. */
  def relation(broadcast: SparkPlan): Relation = {
    val built = broadcast.executeBroadcast[HashedRelation]()
    val found = statistics(broadcast)
    new Relation(found.sizeInBytes.toLong, rows(found), built)
  }

  @tailrec private def statistics(broadcast: SparkPlan): Statistics = (broadcast: @unchecked) match {
    case stage: BroadcastQueryStageExec => statistics(stage.plan)
    case ReusedExchangeExec(_, exchange) => statistics(exchange)
    case exchange: BroadcastExchangeLike => exchange.runtimeStatistics
  }

  private def rows(found: Statistics) = found.rowCount.filter(_.isValidLong).map(_.toLong)

  /** Bytes by reducer; none where there was nothing to shuffle. */
  def sizes(statistics: MapOutputStatistics): IndexedSeq[Long] =
    Option(statistics).fold(IndexedSeq.empty[Long])(_.bytesByPartitionId.toIndexedSeq)

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
  def rowCount(exchange: ShuffleExchangeExec): Option[Long] = rows(exchange.runtimeStatistics)

  /** The rows of a finished shuffle. */
  def rows(exchange: ShuffleExchangeExec, tasks: Array[ShufflePartitionSpec]): RDD[InternalRow] =
    exchange.getShuffleRDD(tasks).asInstanceOf[RDD[InternalRow]]
}
