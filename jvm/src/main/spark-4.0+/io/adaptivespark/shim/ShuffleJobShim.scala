package io.adaptivespark.shim

import org.apache.spark.sql.execution.exchange.ShuffleExchangeExec

private[adaptivespark] object ShuffleJobShim {

  /** Starts a shuffle unless it runs already, and gives the sizes of its parts once they are there. The method has
    * parentheses since Spark 4.0.
    */
  def submit(shuffle: ShuffleExchangeExec) = shuffle.submitShuffleJob()
}
