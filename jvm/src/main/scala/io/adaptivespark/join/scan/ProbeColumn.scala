package io.adaptivespark.join.scan

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.execution.SparkPlan

/** A scan whose rows a join key decides on.
  *
  * @param key
  *   over the scan's output, with the values of the join key
  * @param between
  *   the operators between the join and the scan, from the top
  */
final private[adaptivespark] case class ProbeColumn(scan: SparkPlan, key: Expression, between: Seq[SparkPlan])
