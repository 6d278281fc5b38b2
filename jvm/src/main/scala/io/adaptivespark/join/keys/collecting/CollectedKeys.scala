package io.adaptivespark.join.keys.collecting

import org.apache.spark.SparkContext
import org.apache.spark.sql.types.DataType
import org.apache.spark.util.AccumulatorV2

import io.adaptivespark.join.keys.{KeyLimits, KeySummary}
import io.adaptivespark.join.keys.collecting.CollectedKeys.{Keys, Told}

/** The distinct keys of a shuffle's rows on their way to the driver.
  *
  * A task sends its own once it has read its last row.
  *
  * A task that runs again adds the keys that it finds to those found before, since a filter may have keys that
  * no row has. Its rows count once.
  *
  * @param types
  *   by key: its type
  */
final class CollectedKeys(types: Seq[DataType]) extends AccumulatorV2[Told, Keys] {
  // By partition, the different keys that its tasks found. Immutable, because the scheduler adds to it
  // while the query's thread may look.
  @volatile private var told = Map.empty[Int, Vector[Keys]]
  @volatile private var tasks = Option.empty[Int]

  /** Is called before the tasks are sent.
    *
    * @return
    *   false where the tasks are so many that they shall not send their keys
    */
  def begin(context: SparkContext, tasks: Int): Boolean = {
    val begins = tasks <= CollectedKeys.MostTasks
    if (begins) {
      if (!isRegistered) context.register(this)
      this.tasks = Some(tasks)
    }
    begins
  }

  /** The keys of all tasks; none where they are too many, or not all tasks have sent theirs. */
  override def value: Keys = {
    val seen = told
    val hasAll = tasks.exists(n => (0 until n).forall(seen.contains))
    val found = seen.values.flatten
    if (hasAll && found.forall(_.isDefined)) {
      val merged = RowKeyCollector.merged(types, KeyLimits(), found.flatten.toVector)
      Some(merged.zipWithIndex.map { case (keys, i) =>
        keys.withRows(seen.values.map(_.flatten.map(_(i).rows).max).sum)
      }).filter(_.forall(_.values.isDefined))
    } else None
  }

  override def isZero: Boolean = told.isEmpty

  override def add(ofTask: Told): Unit = {
    val (partition, keys) = ofTask
    val before = told.getOrElse(partition, Vector.empty)
    if (!before.contains(keys)) told += partition -> (before :+ keys)
  }

  override def merge(other: AccumulatorV2[Told, Keys]): Unit = other match {
    case more: CollectedKeys => for ((partition, found) <- more.told; keys <- found) add((partition, keys))
    case _ =>
      throw new UnsupportedOperationException(
        s"Cannot merge ${getClass.getName} with ${other.getClass.getName}."
      )
  }

  override def copy(): CollectedKeys = {
    val copied = new CollectedKeys(types)
    copied.told = told
    copied.tasks = tasks
    copied
  }

  override def reset(): Unit = told = Map.empty
}

private[adaptivespark] object CollectedKeys {

  /** Summaries by key; none where the keys are too many. */
  type Keys = Option[Seq[KeySummary[_]]]

  /** A partition and the keys that its task found. */
  type Told = (Int, Keys)

  /** The keys of one task, so few that they travel with its metrics. */
  val Limits: KeyLimits = KeyLimits(longs = 4096, values = 1024, valueBytes = 64 << 10)

  // More tasks would send the driver much, and one more job to read their keys is little beside them.
  private val MostTasks = 64
}
