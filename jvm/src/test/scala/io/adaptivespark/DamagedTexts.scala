package io.adaptivespark

/** Texts beside others that are no UTF-8, whose bounds are others once U+FFFD stands for each byte of these. */
object DamagedTexts {

  /** After U+FFFD and before the byte FF, and before U+FFFD and after the byte 80. */
  val Texts: Seq[String] = Seq("\ud83d\ude00", "\u00e9")

  /** Queries of one row with such a byte and one with a text, each for a file of its own. */
  val Queries: Seq[String] = Seq("FF", "80").zip(Texts).map { case (byte, text) =>
    s"SELECT /*+ COALESCE(1) */ * FROM VALUES (cast(X'$byte' AS STRING)), ('$text') t(v)"
  }
}
