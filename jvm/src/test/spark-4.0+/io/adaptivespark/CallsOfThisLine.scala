package io.adaptivespark

/** How the calls that never throw on Spark 3.5 differ from those on this line. */
object CallsOfThisLine {

  /** Calls that this line evaluates by an expression that is not regarded as safe: to functions, their calls. */
  val more: Seq[(String, Seq[String])] = Nil

  /** Functions that Spark 4.0 made calls of safe methods of. */
  val fewer: Set[String] = Set.empty

  /** Under ANSI, `right` negates its count on Spark 3.5. */
  val fewerUnderAnsi: Set[String] = Set.empty

  /** Calls that throw on some inputs on later lines alone. */
  val safeAlone: Set[String] = Set.empty
}
