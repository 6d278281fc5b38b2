package org.apache.spark.sql.execution.adaptivespark

import org.apache.spark.sql.catalyst.CurrentUserContext
import org.apache.spark.util.Utils

/** The user that `current_user()` gives. Until Spark 3.5 only servers set one; elsewhere it is that of the process. */
object CurrentUser {
  def apply(): String = Option(CurrentUserContext.CURRENT_USER.get).getOrElse(Utils.getCurrentUserName())
}
