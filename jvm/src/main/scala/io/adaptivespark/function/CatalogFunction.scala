package io.adaptivespark.function

import org.apache.spark.sql.{Row, SparkSession}
import org.apache.spark.sql.catalyst.TableIdentifier
import org.apache.spark.sql.catalyst.catalog.{CatalogTable, CatalogTableType}
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.plans.logical.{LocalRelation, LogicalPlan}
import org.apache.spark.sql.catalyst.types.DataTypeUtils.toAttributes
import org.apache.spark.sql.catalyst.util.CharVarcharUtils
import org.apache.spark.sql.types.StructField

import io.adaptivespark.analyze.SampleMarks
import io.adaptivespark.schema.TableFunctions.{Catalog => schema}
import io.adaptivespark.shim.SessionShim

/** `adaptive_catalog(schema)` and `adaptive_catalog(schema, table)`: the columns of the session catalog's
  * tables and views, with their statistics from `ANALYZE TABLE`. It makes a few requests to the metastore,
  * however many tables there are: for the schema, for the names and for all tables. It returns no rows while
  * another catalog is the current one.
  */
object CatalogFunction {
  def apply(session: SparkSession, arguments: Seq[Expression]): LogicalPlan = {
    val catalog = SessionShim.catalog(session)
    val tables = TableNames("adaptive_catalog", arguments) match {
      case _ if !TableNames.areOfSessionCatalog(session) => Nil
      case Seq(name) if !catalog.databaseExists(name) => Nil
      case Seq(name) => catalog.listTables(name, "*", includeLocalTempViews = false)
      case Seq(database, table) =>
        Seq(TableIdentifier(table, Some(database))).filter(catalog.tableExists)
      case _ => throw new IllegalArgumentException("adaptive_catalog takes a schema, or a schema and a table")
    }
    LocalRelation.fromExternalRows(toAttributes(schema.struct), catalog.getTablesByName(tables).flatMap(rows))
  }

  // A format that keeps its columns elsewhere, as Delta Lake does, leaves none in the metastore. Its table
  // still has a row.
  private def rows(table: CatalogTable): Seq[Row] = {
    val columns = CharVarcharUtils.getRawSchema(table.schema).zipWithIndex
    val described = ofTable(table)
    if (columns.isEmpty) Seq(schema.row(described ++ nothing: _*))
    else columns.map { case (column, index) => schema.row(described ++ ofColumn(table, column, index): _*) }
  }

  private def ofTable(table: CatalogTable): Seq[(String, Any)] = Seq(
    "table_schema" -> table.database,
    "table_name" -> table.identifier.table,
    "table_type" -> (if (table.tableType == CatalogTableType.VIEW) "view" else "table"),
    "provider" -> TableNames.format(table),
    "table_owner" -> table.owner,
    "table_comment" -> table.comment,
    "size_in_bytes" -> table.stats.map(stats => decimal(stats.sizeInBytes)),
    "row_count" -> table.stats.flatMap(_.rowCount).map(decimal),
    "row_count_sample" -> SampleMarks.ofRows(table)
  )

  private def ofColumn(table: CatalogTable, column: StructField, index: Int): Seq[(String, Any)] = {
    val stat = table.stats.flatMap(_.colStats.collectFirst {
      case (name, stat) if name.equalsIgnoreCase(column.name) => stat
    })
    Seq(
      "column_index" -> index,
      "column_name" -> column.name,
      "column_type" -> column.dataType.catalogString,
      "column_comment" -> column.getComment(),
      "distinct_count" -> stat.flatMap(_.distinctCount).map(decimal),
      "null_count" -> stat.flatMap(_.nullCount).map(decimal),
      "min" -> stat.flatMap(_.min),
      "max" -> stat.flatMap(_.max),
      "has_histogram" -> stat.exists(_.histogram.nonEmpty),
      "sample" -> stat.flatMap(SampleMarks.ofColumn(table, column.name, _))
    )
  }

  private def nothing: Seq[(String, Any)] = schema.columns.filter(_.of == "column").map(_.name -> null)

  private def decimal(count: BigInt) = new java.math.BigDecimal(count.bigInteger)
}
