package io.adaptivespark.join.keys.testing

import org.apache.spark.SparkContext
import org.apache.spark.util.AccumulatorV2

/** Counts that tasks bring to the driver, each with the number of its partition.
  *
  * A partition counts once, though Spark runs its task again after a lost executor, or in another job: by the
  * task with the highest first count.
  *
  * @param size
  *   the number of counts of a task
  */
final private[adaptivespark] class PartitionCounts private (size: Int)
    extends AccumulatorV2[(Int, IndexedSeq[Long]), IndexedSeq[Long]] {

  /** The sums over partitions, which outlive the plan in the history: they do not grow with the partitions. */
  val sums = new PartitionCounts.Sums(size)

  // Immutable, because a heartbeat may write it out while its task adds to it.
  @volatile private var byPartition = Map.empty[Int, IndexedSeq[Long]]

  override def isZero: Boolean = byPartition.isEmpty

  override def add(ofTask: (Int, IndexedSeq[Long])): Unit = {
    val (partition, counts) = ofTask
    val before = byPartition.get(partition)
    if (before.forall(_.head <= counts.head)) {
      byPartition += ofTask
      sums.replace(before, counts)
    }
  }

  override def merge(other: AccumulatorV2[(Int, IndexedSeq[Long]), IndexedSeq[Long]]): Unit = other match {
    case tasks: PartitionCounts => tasks.byPartition.foreach(add)
    case _ =>
      throw new UnsupportedOperationException(
        s"Cannot merge ${getClass.getName} with ${other.getClass.getName}."
      )
  }

  override def value: IndexedSeq[Long] = sums.all

  override def copy(): PartitionCounts = {
    val copied = new PartitionCounts(size)
    copied.merge(this)
    copied
  }

  override def reset(): Unit = {
    byPartition = Map.empty
    sums.clear()
  }
}

private[adaptivespark] object PartitionCounts {
  def apply(size: Int, context: SparkContext): PartitionCounts = {
    val counts = new PartitionCounts(size)
    context.register(counts)
    counts
  }

  /** The counts, each summed over partitions. */
  final class Sums(size: Int) extends Serializable {
    private val total = new Array[Long](size)

    def all: IndexedSeq[Long] = synchronized(total.toIndexedSeq)

    private[PartitionCounts] def replace(before: Option[IndexedSeq[Long]], counts: IndexedSeq[Long]): Unit =
      synchronized(total.indices.foreach(i => total(i) += counts(i) - before.fold(0L)(_(i))))

    private[PartitionCounts] def clear(): Unit = synchronized(java.util.Arrays.fill(total, 0L))
  }
}
