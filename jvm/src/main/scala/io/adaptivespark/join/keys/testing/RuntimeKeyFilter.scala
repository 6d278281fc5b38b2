package io.adaptivespark.join.keys.testing

import org.apache.spark.{SparkContext, TaskContext}

/** The keys by which rows are filtered, on their way to the tasks: empty when the plan is made, filled once the build
  * side is there and before the tasks are sent.
  *
  * All are equal: the `DynamicFilterExec` below says which keys they are, and nothing else may make two plans differ.
  *
  * @param byBloom
  *   true where rows are tested by a bloom filter if the keys are too many for a set
  * @param mayStop
  *   false where all rows are to be tested, so that the same ones are left each time
  */
final class RuntimeKeyFilter(val byBloom: Boolean, val mayStop: Boolean) extends Serializable {
  @volatile private var content: Option[(SentFilter, PassRate)] = None

  /** Hands the keys to the tasks.
    *
    * @return
    *   the counts of the tasks that test rows by `keys`
    */
  def fill(keys: SentFilter, context: SparkContext): PassRate = {
    val tests = new PassRate(PartitionCounts(size = 2, context))
    content = Some((keys, tests))
    tests
  }

  /** The test of one task's rows. Without keys every row passes. */
  def tester(): RowKeyTester = content match {
    case None => new RowKeyTester(null, mayStop)
    case Some((keys, tests)) =>
      val tester = new RowKeyTester(keys.value, mayStop)
      Option(TaskContext.get()).foreach(_.addTaskCompletionListener[Unit](task =>
        tester.report(tests, task.partitionId())
      ))
      tester
  }

  override def equals(other: Any): Boolean = other.isInstanceOf[RuntimeKeyFilter]
  override def hashCode: Int = 0
}
