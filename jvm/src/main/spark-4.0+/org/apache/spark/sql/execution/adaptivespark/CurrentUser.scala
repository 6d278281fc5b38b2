package org.apache.spark.sql.execution.adaptivespark

import org.apache.spark.sql.catalyst.CurrentUserContext

/** The user that `current_user()` gives. Spark 4.0 gave it a method. */
object CurrentUser {
  def apply(): String = CurrentUserContext.getCurrentUser
}
