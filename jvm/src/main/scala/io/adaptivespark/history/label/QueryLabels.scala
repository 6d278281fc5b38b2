package io.adaptivespark.history.label

import org.apache.spark.SparkContext

/** Which query an entry is of, whose it was, and under which labels it ran. */
final private[adaptivespark] case class QueryLabels(
    queryId: Option[Long],
    user: String,
    queryTag: String,
    runId: String
) {

  /** Of a node that dbt runs; what else a server does must not push it out before dbt has asked. */
  def isOfRun: Boolean = runId.nonEmpty
}

private[adaptivespark] object QueryLabels {

  /** Those of the query that this thread works for. */
  def of(context: SparkContext, queryTag: String, runId: String): QueryLabels =
    QueryLabels(QueryId.of(context), SessionUser.of(context), queryTag, runId)
}
