package io.adaptivespark.shim

import org.apache.spark.sql.execution.exchange.ShuffleExchangeExec

private[adaptivespark] object ShuffleShim {

  /** True if rows are sent on before the shuffle has all of them: never, since Spark 4.3 introduced that. */
  def isPipelined(shuffle: ShuffleExchangeExec): Boolean = false
}
