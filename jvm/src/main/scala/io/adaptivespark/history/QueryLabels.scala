package io.adaptivespark.history

/** Which query an entry is of, and under which labels it ran. */
private[adaptivespark] trait QueryLabels {
  def queryId: Option[Long]
  def queryTag: String
  def runId: String

  /** Of a node that dbt runs; what else a server does must not push it out before dbt has asked. */
  final def isOfRun: Boolean = runId.nonEmpty
}
