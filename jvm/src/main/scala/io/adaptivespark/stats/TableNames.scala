package io.adaptivespark.stats

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.types.StringType
import org.apache.spark.unsafe.types.UTF8String

/** The names that a table function is given, as constant texts. */
private[stats] object TableNames {

  /** @throws IllegalArgumentException
    *   for an argument that is none
    */
  def apply(function: String, arguments: Seq[Expression]): Seq[String] = arguments.map { argument =>
    if (!argument.foldable || !argument.dataType.isInstanceOf[StringType])
      throw new IllegalArgumentException(s"$function: ${argument.sql} is not a constant text")
    argument.eval() match {
      case name: UTF8String => name.toString
      case _ => throw new IllegalArgumentException(s"$function: a name is null")
    }
  }
}
