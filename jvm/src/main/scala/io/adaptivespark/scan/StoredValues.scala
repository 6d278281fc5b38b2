package io.adaptivespark.scan

import scala.util.Try

import org.apache.spark.sql.catalyst.CatalystTypeConverters
import org.apache.spark.sql.catalyst.expressions.{Attribute, Literal}
import org.apache.spark.sql.catalyst.util.CharVarcharUtils
import org.apache.spark.sql.types.CharType
import org.apache.spark.unsafe.types.UTF8String

/** Values that a source may hold, or be told, otherwise than Spark has them. */
private[scan] object StoredValues {

  /** True of a column whose values may be stored padded with spaces, or not. */
  def mayBePadded(column: Attribute): Boolean =
    CharVarcharUtils.getRawType(column.metadata).exists(_.isInstanceOf[CharType])

  /** True where a source that is told `literal` as an object of Java compares with the same value: damaged texts and
    * some old dates are others there, and the first and last dates and times overflow on the way.
    */
  def isKept(literal: Literal): Boolean = Try(
    Literal.create(CatalystTypeConverters.convertToScala(literal.value, literal.dataType), literal.dataType)
  ).toOption.contains(literal)

  /** True of what is no text, and of texts that keep their order to all others where these have other characters from
    * U+0080 on in place of what is no UTF-8.
    */
  def isAscii(literal: Literal): Boolean = literal.value match {
    case text: UTF8String => text.getBytes.forall(_ >= 0)
    case _ => true
  }
}
