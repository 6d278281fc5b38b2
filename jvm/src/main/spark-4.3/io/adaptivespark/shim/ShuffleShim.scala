package io.adaptivespark.shim

import org.apache.spark.sql.execution.exchange.ShuffleExchangeExec

private[adaptivespark] object ShuffleShim {

  /** Whether rows are sent on before the shuffle has all of them. 4.3 began to. */
  def isPipelined(shuffle: ShuffleExchangeExec): Boolean = shuffle.pipelined
}
