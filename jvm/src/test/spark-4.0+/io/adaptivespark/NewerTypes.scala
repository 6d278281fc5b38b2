package io.adaptivespark

import org.apache.spark.sql.types.{DataType, StringType, VariantType}

/** Types that Spark 3.5 lacks. */
object NewerTypes {
  val collated: Seq[DataType] = Seq(StringType("UNICODE_CI"), StringType("UTF8_LCASE"))
  val others: Seq[DataType] = Seq(VariantType)
}
