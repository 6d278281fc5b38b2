package io.adaptivespark.shim

private[adaptivespark] object ReversedText {

  /** True if any text can be reversed. Before Spark 3.5.9 and 4.0.4 one that ends within a character of UTF-8 is
    * written beside its array, and a jar runs on all releases of its line.
    */
  val isSafe: Boolean = true
}
