package io.adaptivespark.hint

import java.util.Locale

import org.apache.spark.unsafe.types.UTF8String

/** Names of this extension's hints. */
private[adaptivespark] object HintNames {
  val all: Set[String] = FilterHint.names ++ DynamicFilterHint.names

  // The shortest name has 12 letters. No hint of Spark's is that near to one of ours.
  private val MostWrongLetters = 2

  /** A sentence for a name that is none of ours, but has at most two letters missing, added or
    * changed; none for the hints of others.
    */
  def misspelling(name: String): Option[String] = {
    val written = name.toUpperCase(Locale.ROOT)
    val (nearest, wrong) = all.toSeq.sorted.map(each => each -> distance(each, written)).minBy(_._2)
    if (wrong > 0 && wrong <= MostWrongLetters) Some(s"$written is not a hint. Did you mean $nearest?")
    else None
  }

  private def distance(a: String, b: String): Int =
    UTF8String.fromString(a).levenshteinDistance(UTF8String.fromString(b))
}
