package io.adaptivespark.scan

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.execution.datasources.FileIndex

/** What Delta Lake's `MERGE` adds to the queries that it runs. By name, since Delta Lake need not be there. */
private[adaptivespark] object DeltaMerge {

  /** The index of files that a command has chosen. */
  private[scan] val Files = "org.apache.spark.sql.delta.files.TahoeBatchFileIndex"
  private val Counters =
    Set("IncrementMetric", "ConditionalIncrementMetric").map("org.apache.spark.sql.delta.metric." + _)

  /** True of files that a command has chosen from its target. */
  def isTarget(files: FileIndex): Boolean = files.getClass.getName == Files

  /** `expression` without the counters of rows in it. Each has the value of its first child, and says that it is not
    * deterministic so that it stays where it is.
    */
  def withoutCounters(expression: Expression): Expression = expression.transform {
    case counter if Counters(counter.getClass.getName) => counter.children.head
  }
}
