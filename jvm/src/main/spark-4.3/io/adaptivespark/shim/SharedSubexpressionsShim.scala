package io.adaptivespark.shim

import org.apache.spark.sql.internal.SQLConf

private[adaptivespark] object SharedSubexpressionsShim {

  /** Whether a filter evaluates a subexpression that its conjuncts share only once. 4.2 began to
    * (`spark.sql.subexpressionElimination.filterExec.enabled`).
    */
  def sharesSubexpressions(conf: SQLConf): Boolean =
    conf.subexpressionEliminationEnabled && conf.subexpressionEliminationFilterExecEnabled
}
