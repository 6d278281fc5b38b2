package io.adaptivespark.stats

import org.apache.spark.sql.catalyst.TableIdentifier
import org.apache.spark.sql.catalyst.catalog.{CatalogTable, SessionCatalog}
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

  /** The table of a function that takes its schema and its name; None where there is none such. */
  def table(catalog: SessionCatalog, function: String, arguments: Seq[Expression]): Option[CatalogTable] =
    apply(function, arguments) match {
      case Seq(database, name) =>
        Some(TableIdentifier(name, Some(database))).filter(catalog.tableExists).map(catalog.getTableMetadata)
      case _ => throw new IllegalArgumentException(s"$function takes a schema and a table")
    }
}
