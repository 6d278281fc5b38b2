package io.adaptivespark.join

import org.apache.spark.SparkContext
import org.apache.spark.sql.types.DataType
import org.apache.spark.util.AccumulatorV2

import io.adaptivespark.join.CollectedKeys.Keys

/** The distinct keys of a shuffle's rows on their way to the driver: of each task once it has read its last row, as long as all tasks together have few.
  *
  * A task that runs again adds what it finds to what it found before: a filter may have keys that no row has.
  *
  * @param types
  *   of the keys
  */
final class CollectedKeys(types: Seq[DataType]) extends AccumulatorV2[(Int, Keys), Keys] {
  // Immutable, because the scheduler adds to it while the query's thread may look.
  @volatile private var tasks = Set.empty[Int]
  @volatile private var keys = CollectedKeys.nothing(types)
  @volatile private var expected = Option.empty[Int]

  /** Before the tasks are sent, of which there are so many. */
  def begin(context: SparkContext, tasks: Int): Unit = {
    if (!isRegistered) context.register(this)
    expected = Some(tasks)
  }

  /** What all tasks found; nothing where it is too much, or not all have told. */
  override def value: Keys = keys.filter(_ => expected.exists(n => (0 until n).forall(tasks)))

  override def isZero: Boolean = tasks.isEmpty

  override def add(found: (Int, Keys)): Unit = {
    keys = CollectedKeys.merged(types, keys, found._2)
    tasks += found._1
  }

  override def merge(other: AccumulatorV2[(Int, Keys), Keys]): Unit = other match {
    case more: CollectedKeys =>
      keys = CollectedKeys.merged(types, keys, more.keys)
      tasks ++= more.tasks
    case _ =>
      throw new UnsupportedOperationException(
        s"Cannot merge ${getClass.getName} with ${other.getClass.getName}."
      )
  }

  override def copy(): CollectedKeys = {
    val copied = new CollectedKeys(types)
    copied.tasks = tasks
    copied.keys = keys
    copied.expected = expected
    copied
  }

  override def reset(): Unit = {
    tasks = Set.empty
    keys = CollectedKeys.nothing(types)
  }
}

private[join] object CollectedKeys {

  /** By key; nothing where they are too many. */
  type Keys = Option[Seq[KeySummary[_]]]

  /** So few that they travel with the other figures of a task, and that the scheduler adds them up in passing. */
  val Limits: KeyLimits = KeyLimits(longs = 4096, values = 1024, valueBytes = 64 << 10)

  private def nothing(types: Seq[DataType]): Keys =
    Some(types.map(KeyType.of(_).get.collector(Limits).summary))

  private def merged(types: Seq[DataType], some: Keys, others: Keys): Keys =
    for (a <- some; b <- others; both = RowKeyCollector.merged(types, Limits, a, b) if both.forall(_.isExact))
      yield both
}
