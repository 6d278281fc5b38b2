package io.adaptivespark.scan

import org.apache.spark.sql.catalyst.expressions._

/** What Delta Lake's `MERGE` adds to the queries that it runs. By name, since Delta Lake need not be there. */
private[adaptivespark] object DeltaMerge {
  private val Counters =
    Set("IncrementMetric", "ConditionalIncrementMetric").map("org.apache.spark.sql.delta.metric." + _)

  /** `expression` without the counters of rows in it. Each has the value of its first child, and says that it is not
    * deterministic so that it stays where it is.
    */
  def withoutCounters(expression: Expression): Expression = expression.transform {
    case counter if Counters(counter.getClass.getName) => counter.children.head
  }
}
