package io.adaptivespark.join

import org.apache.spark.SparkContext
import org.apache.spark.sql.types.DataType
import org.apache.spark.util.AccumulatorV2

import io.adaptivespark.join.CollectedKeys.{Keys, Told}

/** The distinct keys of a shuffle's rows on their way to the driver: of each task once it has read its last row.
  *
  * A task that runs again adds what it finds to what it found before: a filter may have keys that no row has.
  *
  * @param types
  *   of the keys
  */
final class CollectedKeys(types: Seq[DataType]) extends AccumulatorV2[Told, Keys] {
  // Immutable, because the scheduler adds to it while the query's thread may look.
  @volatile private var told = Vector.empty[Told]
  @volatile private var tasks = Option.empty[Int]

  /** Before the tasks are sent, of which there are so many.
    *
    * @return
    *   whether they are to tell their keys
    */
  def begin(context: SparkContext, tasks: Int): Boolean = {
    val begins = tasks <= CollectedKeys.MostTasks
    if (begins) {
      if (!isRegistered) context.register(this)
      this.tasks = Some(tasks)
    }
    begins
  }

  /** What all tasks found; nothing where it is too much, or not all have told. */
  override def value: Keys = {
    val seen = told
    val hasAll = tasks.exists(n => (0 until n).forall(seen.map(_._1).toSet))
    if (hasAll && seen.forall(_._2.isDefined))
      Some(RowKeyCollector.merged(
        types,
        KeyLimits(),
        seen.flatMap(_._2)
      )).filter(_.forall(_.values.isDefined))
    else None
  }

  override def isZero: Boolean = told.isEmpty
  override def add(ofTask: Told): Unit = told :+= ofTask

  override def merge(other: AccumulatorV2[Told, Keys]): Unit = other match {
    case more: CollectedKeys => told ++= more.told
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

  override def reset(): Unit = told = Vector.empty
}

private[join] object CollectedKeys {

  /** By key; nothing where they are too many. */
  type Keys = Option[Seq[KeySummary[_]]]

  /** What the task of a partition found. */
  type Told = (Int, Keys)

  /** So few of a task that they travel with its other figures. */
  val Limits: KeyLimits = KeyLimits(longs = 4096, values = 1024, valueBytes = 64 << 10)

  // What more of them tell is much for the driver, and a job more is little for them.
  private val MostTasks = 64
}
