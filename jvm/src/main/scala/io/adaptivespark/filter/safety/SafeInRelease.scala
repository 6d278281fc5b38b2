package io.adaptivespark.filter.safety

import scala.util.Try

import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.Decimal
import org.apache.spark.unsafe.types.UTF8String

/** Expressions that throw on some values in Spark 3.5, and in 4.0 before 4.0.5, 4.1 before 4.1.4 and 4.2 before 4.2.1.
  * Spark itself is asked, since a jar runs on all releases of its line.
  */
private[safety] object SafeInRelease {

  /** True if every text without ANSI mode is a decimal number or null. Earlier releases count its digits in an INT. */
  val textAsDecimal: Boolean =
    // whichever session asks first
    SQLConf.withExistingConf(new SQLConf) {
      Try(Decimal.fromString(UTF8String.fromString("1e2147483647"))).isSuccess
    }

  /** True if every part of a binary value can be taken. The same releases add positions in an INT, and would ask for
    * 2 GiB if they were asked.
    */
  val partOfBinary: Boolean = textAsDecimal
}
