package io.adaptivespark

/** How the calls that never throw on Spark 3.5 differ from those on later lines. */
object CallsOfThisLine {

  /** Calls that later lines evaluate by an expression that is not regarded as safe: to functions, their calls. */
  val more: Seq[(String, Seq[String])] = Seq("array_compact" -> Seq("array_compact(ai)", "array_compact(sa)"))

  /** Functions that Spark 4.0 made calls of safe methods of. */
  val fewer: Set[String] = Set("json_array_length", "json_object_keys")

  /** Under ANSI, `right` negates its count. */
  val fewerUnderAnsi: Set[String] = Set("right")

  /** Calls that throw on some inputs on later lines alone. */
  val safeAlone: Set[String] = Set("decode(b, 'UTF-8')")
}
