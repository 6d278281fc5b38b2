package org.apache.spark.sql.execution.adaptivespark

import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.util.Utils

/** Spark's redaction of texts that show values of data, such as plans
  * (`spark.sql.redaction.string.regex`), which is private to Spark.
  */
object Redaction {

  /** What Spark writes in place of what it hides. */
  val Replacement: String = Utils.REDACTION_REPLACEMENT_TEXT

  /** `text` as the current session shows it. */
  def apply(text: String): String = Utils.redact(SQLConf.get.stringRedactionPattern, text)
}
