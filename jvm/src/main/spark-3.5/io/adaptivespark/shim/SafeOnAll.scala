package io.adaptivespark.shim

/** Expressions that throw on some values on an old line of Spark alone. */
private[adaptivespark] object SafeOnAll {

  /** True if every text without ANSI mode is a decimal number or null. Until Spark 3.5 some with many digits throw. */
  val textAsDecimal: Boolean = false

  /** True if every part of a binary value can be taken. Until Spark 3.5 some positions throw. */
  val partOfBinary: Boolean = false
}
