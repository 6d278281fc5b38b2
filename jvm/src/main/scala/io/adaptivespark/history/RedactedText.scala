package io.adaptivespark.history

import org.apache.spark.sql.execution.adaptivespark.Redaction

/** Texts of a query as the driver keeps and shows them: what the session hides is hidden, and a long one is cut. */
object RedactedText {
  private val Longest = 2000

  def apply(text: String): String = {
    val redacted = Redaction(text)
    if (redacted.length <= Longest) redacted else redacted.take(Longest - 1) + "…"
  }
}
