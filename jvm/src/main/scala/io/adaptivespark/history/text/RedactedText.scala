package io.adaptivespark.history.text

import org.apache.spark.sql.execution.adaptivespark.Redaction

import io.adaptivespark.filter.plan.CanonicalForm.Longest

/** Texts of a query as the driver keeps and shows them: redacted as the session redacts plans, and cut. */
object RedactedText {
  def apply(text: String): String = {
    val redacted = Redaction(text)
    if (redacted.length <= Longest) redacted else redacted.take(Longest - 1) + "…"
  }
}
