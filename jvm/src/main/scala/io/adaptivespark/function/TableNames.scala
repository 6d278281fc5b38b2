package io.adaptivespark.function

import java.util.Locale

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.TableIdentifier
import org.apache.spark.sql.catalyst.catalog.CatalogTable
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.types.StringType
import org.apache.spark.unsafe.types.UTF8String

import io.adaptivespark.shim.SessionShim

/** Names that a table function is given as constant texts. */
private[adaptivespark] object TableNames {
  private val SessionCatalogName = "spark_catalog"

  /** The names in `arguments`.
    *
    * @throws IllegalArgumentException
    *   for an argument that is no constant text
    */
  def apply(function: String, arguments: Seq[Expression]): Seq[String] = arguments.map { argument =>
    if (!argument.foldable || !argument.dataType.isInstanceOf[StringType])
      throw new IllegalArgumentException(s"$function: ${argument.sql} is not a constant text")
    argument.eval() match {
      case name: UTF8String => name.toString
      case _ => throw new IllegalArgumentException(s"$function: a name is null")
    }
  }

  /** True if names mean the session catalog's tables; another current catalog has tables of its own. */
  def areOfSessionCatalog(session: SparkSession): Boolean =
    session.catalog.currentCatalog() == SessionCatalogName

  /** The table that a function's arguments name by a schema and a name, there or not. */
  def identifier(function: String, arguments: Seq[Expression]): TableIdentifier =
    apply(function, arguments) match {
      case Seq(database, name) => TableIdentifier(name, Some(database))
      case _ => throw new IllegalArgumentException(s"$function takes a schema and a table")
    }

  /** The session catalog's table; None where there is none such. */
  def table(session: SparkSession, name: TableIdentifier): Option[CatalogTable] = {
    val catalog = SessionShim.catalog(session)
    Some(name).filter(areOfSessionCatalog(session) && catalog.tableExists(_)).map(catalog.getTableMetadata)
  }

  /** A table's format, in lower case. Iceberg's own client of the metastore names none but in a property. */
  def format(table: CatalogTable): Option[String] =
    table.properties.get("table_type").filter(_.equalsIgnoreCase("iceberg")).orElse(table.provider)
      .map(_.toLowerCase(Locale.ROOT))
}
