package io.adaptivespark.shim

import org.apache.spark.sql.internal.SQLConf

private[adaptivespark] object SharedSubexpressionsShim {

  /** True if a filter evaluates a subexpression that its conjuncts share only once: never, since Spark 4.2 introduced
    * that.
    */
  def sharesSubexpressions(conf: SQLConf): Boolean = false
}
