package io.adaptivespark.history.label

import java.util.Properties

import org.apache.spark.SparkContext
import org.apache.spark.sql.execution.adaptivespark.CurrentUser

/** The user whose query a thread or a job runs: the one that `current_user()` gives.
  *
  * Spark keeps the user in an inheritable thread-local variable. A server sets it on the thread of a statement, but a
  * thread of Spark's pools, in which subqueries and broadcasts run, has the user of the statement that happened to
  * start it. Spark hands a statement's local properties on to those threads and to its jobs. So the user is noted there
  * when the statement is analysed.
  */
private[adaptivespark] object SessionUser {
  // SET can't write it: Spark makes local properties of those confs only that begin with "spark".
  private val Key = "adaptivespark.user"

  /** The user of a statement, on the thread that its client is served by. */
  def current: String = CurrentUser()

  /** Notes the user of the statement that this thread begins. */
  def note(context: SparkContext): Unit = {
    val user = current
    if (context.getLocalProperty(Key) != user) context.setLocalProperty(Key, user)
  }

  /** Notes the user where a thread runs a statement that another one analysed. */
  def noteIfUnknown(context: SparkContext): Unit =
    if (context.getLocalProperty(Key) == null) context.setLocalProperty(Key, current)

  /** The user of the statement that this thread works for, itself a thread of Spark's pools or not. */
  def of(context: SparkContext): String = Option(context.getLocalProperty(Key)).getOrElse(current)

  /** The user of a job; empty where it is of no statement. */
  def of(properties: Properties): String =
    Option(properties).flatMap(p => Option(p.getProperty(Key))).getOrElse("")
}
