package io.adaptivespark.join

import scala.jdk.CollectionConverters._

import com.google.common.collect.MapMaker
import org.apache.spark.{SparkContext, TaskContext}
import org.apache.spark.broadcast.Broadcast
import org.apache.spark.sql.types.Decimal
import org.apache.spark.unsafe.types.UTF8String

/** The keys by which rows are filtered, on their way to the tasks: empty when the plan is made, filled once the build side is there and before the tasks are sent.
  *
  * All are equal: which keys they are is said by the [[DynamicFilterExec]] below, and nothing else may make two plans differ.
  *
  * @param byBloom
  *   whether rows are to be tested by a bloom filter, too, where the keys are too many for a set
  */
final class RowKeys(val byBloom: Boolean) extends Serializable {
  @volatile private var content: Option[(SentFilter, RowTests)] = None

  /** @return
    *   what the tasks find that test rows by `keys`
    */
  def fill(keys: SentFilter, context: SparkContext): RowTests = {
    val tests = new RowTests(PartitionCounts(size = 2, context))
    content = Some((keys, tests))
    tests
  }

  /** For one task. Without keys every row passes. */
  def tester(): RowKeyTester = content match {
    case None => new RowKeyTester(null)
    case Some((keys, tests)) =>
      val tester = new RowKeyTester(keys.value)
      Option(TaskContext.get()).foreach(_.addTaskCompletionListener[Unit](task =>
        tester.report(tests, task.partitionId())
      ))
      tester
  }

  override def equals(other: Any): Boolean = other.isInstanceOf[RowKeys]
  override def hashCode: Int = 0
}

/** A filter on its way to the executors.
  *
  * @param kind
  *   what the filter is
  */
final class SentFilter private (val kind: String, bytes: Broadcast[Array[Byte]]) extends Serializable {
  def value: KeyFilter = SentFilter.received.computeIfAbsent(bytes.value, JavaBytes.read[KeyFilter](_))
}

private[join] object SentFilter {
  def apply(filter: KeyFilter, context: SparkContext): SentFilter =
    new SentFilter(filter.kind, context.broadcast(JavaBytes.of(filter)))

  // Of this executor, by the very bytes, for as long as it has them.
  private val received = new MapMaker().weakKeys().makeMap[Array[Byte], KeyFilter]()

  /** Filters that this executor has. */
  def count: Int = received.keySet.asScala.size
}

/** How many of the first rows of each task were tested, and passed. */
final class RowTests(counts: PartitionCounts) extends Serializable {
  def add(partition: Int, tested: Int, passed: Int): Unit =
    counts.add((partition, Vector(tested.toLong, passed.toLong)))

  /** The share of rows that pass; all of them as long as none was tested. It holds on to the sums alone. */
  def passing: () => Double = RowTests.passing(counts.sums)
}

private object RowTests {
  private def passing(sums: PartitionCounts.Sums): () => Double = () => {
    val testedAndPassed = sums.all
    if (testedAndPassed.head == 0) 1 else testedAndPassed.last.toDouble / testedAndPassed.head
  }
}

/** Tests the rows of one task, and lets all of them pass once it turns out that most of them do: the join decides anyway.
  *
  * @param keys
  *   null where there are none
  */
final class RowKeyTester(keys: KeyFilter) {
  // Called directly: through its interface it would not be compiled into the loop over rows once there were filters of three kinds.
  private val bitmap = keys match {
    case bitmap: BitmapFilter => bitmap
    case _ => null
  }
  private var watching = keys != null
  private var filters = keys != null
  private var tested = 0
  private var passed = 0

  def test(key: Long): Boolean =
    !filters || count(if (bitmap ne null) bitmap.mayHold(key) else keys.mayHold(key))
  def test(key: UTF8String): Boolean = !filters || count(keys.mayHold(key))
  def test(key: Decimal): Boolean = !filters || count(keys.mayHold(key))
  def test(key: Array[Byte]): Boolean = !filters || count(keys.mayHold(key))

  def report(tests: RowTests, partition: Int): Unit = tests.add(partition, tested, passed)

  private def count(holds: Boolean): Boolean = {
    if (watching) watch(holds)
    holds
  }

  private def watch(holds: Boolean): Unit = {
    tested += 1
    if (holds) passed += 1
    if (tested == RowKeyTester.Watched) {
      watching = false
      filters = passed < RowKeyTester.MostPassing * tested
    }
  }
}

private object RowKeyTester {

  /** Rows of a task by which it is decided whether to go on. */
  private val Watched = 20000

  // A test takes a tenth of the time of what a row costs in a shuffle or another join.
  private val MostPassing = 0.9
}
