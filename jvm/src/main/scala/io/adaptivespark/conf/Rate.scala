package io.adaptivespark.conf

/** A number of rows, or `auto`: the filter chooses it by what it measures. */
final case class Rate(rows: Option[Int]) {
  override def toString: String = rows.fold("auto")(_.toString)
}

object Rate {
  val auto: Rate = Rate(None)

  def parse(text: String): Rate = if (text.equalsIgnoreCase("auto")) auto else Rate(Some(text.toInt))
}
