package io.adaptivespark.history

/** Query of an entry, and the labels that it ran under. */
private[adaptivespark] trait QueryLabels {
  def queryId: Option[Long]
  def queryTag: String
  def runId: String

  /** True for a node that dbt runs. Other queries of a server must not push it out before dbt has asked. */
  final def isOfRun: Boolean = runId.nonEmpty
}
