package io.adaptivespark

import org.apache.spark.sql.types.DataType

/** Types that Spark 3.5 lacks: none here. */
object NewerTypes {
  val collated: Seq[DataType] = Nil
  val others: Seq[DataType] = Nil
}
