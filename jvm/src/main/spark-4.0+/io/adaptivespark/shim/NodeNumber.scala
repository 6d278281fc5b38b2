package io.adaptivespark.shim

import org.apache.spark.sql.catalyst.plans.QueryPlan
import org.apache.spark.sql.execution.SparkPlan

private[adaptivespark] object NodeNumber {

  /** Gives `to` the number by which EXPLAIN FORMATTED knows `from`. Since Spark 4.0 it keeps them by identity. */
  def give(from: SparkPlan, to: SparkPlan): Unit = {
    val numbers = QueryPlan.localIdMap.get
    Option(numbers.get(from)).foreach(numbers.put(to, _))
  }
}
