package io.adaptivespark.scan

import scala.util.Try

import org.apache.spark.sql.catalyst.CatalystTypeConverters
import org.apache.spark.sql.catalyst.expressions.{Attribute, Literal}
import org.apache.spark.sql.catalyst.util.CharVarcharUtils
import org.apache.spark.sql.types.CharType

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
}
