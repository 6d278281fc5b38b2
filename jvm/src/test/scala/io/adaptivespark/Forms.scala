package io.adaptivespark

import org.scalatest.Tag

/** A test that differs from another in the form of its plan alone.
  *
  * `make test` leaves it out, `make test-all` runs it.
  */
object CrossProduct extends Tag("io.adaptivespark.CrossProduct")

/** Which forms of a behaviour `make test` runs. */
object Forms {

  /** True in `make test-all`. */
  val all: Boolean = sys.env.get("FORMS").contains("all")

  /** Tags for a form: none where it `isFirst`, which every run has. */
  def unless(isFirst: Boolean): Seq[Tag] = if (isFirst) Nil else Seq(CrossProduct)
}
