package io.adaptivespark.join.keys

import org.apache.spark.{SparkContext, TaskContext}

/** The keys by which rows are filtered, on their way to the tasks: empty when the plan is made, filled once the build side is there and before the tasks are sent.
  *
  * All are equal: which keys they are is said by the [[DynamicFilterExec]] below, and nothing else may make two plans differ.
  *
  * @param byBloom
  *   whether rows are to be tested by a bloom filter, too, where the keys are too many for a set
  */
final class RuntimeKeyFilter(val byBloom: Boolean) extends Serializable {
  @volatile private var content: Option[(SentFilter, PassRate)] = None

  /** @return
    *   what the tasks find that test rows by `keys`
    */
  def fill(keys: SentFilter, context: SparkContext): PassRate = {
    val tests = new PassRate(PartitionCounts(size = 2, context))
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

  override def equals(other: Any): Boolean = other.isInstanceOf[RuntimeKeyFilter]
  override def hashCode: Int = 0
}
