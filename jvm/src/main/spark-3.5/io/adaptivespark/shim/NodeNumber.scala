package io.adaptivespark.shim

import scala.util.Try

import org.apache.spark.sql.catalyst.plans.QueryPlan
import org.apache.spark.sql.execution.SparkPlan

private[adaptivespark] object NodeNumber {
  private val isByIdentity = Try(QueryPlan.getClass.getMethod("localIdMap")).isSuccess

  /** Gives `to` the number by which EXPLAIN FORMATTED knows `from`. Late releases of 3.5 keep them by identity, and
    * earlier ones in a tag.
    */
  def give(from: SparkPlan, to: SparkPlan): Unit =
    if (isByIdentity) {
      val numbers = QueryPlan.localIdMap.get
      Option(numbers.get(from)).foreach(numbers.put(to, _))
    } else to.copyTagsFrom(from)
}
