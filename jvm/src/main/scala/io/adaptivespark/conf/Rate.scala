package io.adaptivespark.conf

/** A number of rows.
  *
  * @param rows
  *   none for `auto`: the filter chooses the number by what sampling costs it
  */
final case class Rate(rows: Option[Int])

object Rate {
  val auto: Rate = Rate(None)
}
