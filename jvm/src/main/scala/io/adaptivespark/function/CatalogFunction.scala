package io.adaptivespark.function

import org.apache.spark.sql.{Row, SparkSession}
import org.apache.spark.sql.catalyst.TableIdentifier
import org.apache.spark.sql.catalyst.catalog.{CatalogColumnStat, CatalogTable, CatalogTableType}
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.plans.logical.{LocalRelation, LogicalPlan}
import org.apache.spark.sql.catalyst.types.DataTypeUtils.toAttributes
import org.apache.spark.sql.catalyst.util.CharVarcharUtils
import org.apache.spark.sql.types.{StructField, StructType}

import io.adaptivespark.analyze.SampleMarks
import io.adaptivespark.shim.SessionShim

/** `adaptive_catalog(schema)` and `adaptive_catalog(schema, table)`: one row for each column of the session catalog's tables and views, with what
  * `ANALYZE TABLE` found out about it, and of what share of the rows, where that was a sample (`row_count_sample`, `sample`); none where the session's current catalog is another. One request to the metastore, however many tables there are.
  */
object CatalogFunction {
  private val schema = StructType.fromDDL(
    """table_schema STRING, table_name STRING, table_type STRING, provider STRING, table_owner STRING, table_comment STRING,
      |size_in_bytes DECIMAL(38, 0), row_count DECIMAL(38, 0), row_count_sample DOUBLE, column_index INT, column_name STRING, column_type STRING, column_comment STRING,
      |distinct_count DECIMAL(38, 0), null_count DECIMAL(38, 0), min STRING, max STRING, has_histogram BOOLEAN, sample DOUBLE""".stripMargin
  )

  // those that say something of the table, the first ones
  private val TableColumns = 9

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
    LocalRelation.fromExternalRows(toAttributes(schema), catalog.getTablesByName(tables).flatMap(rows))
  }

  // A format that keeps its columns elsewhere, as Delta Lake does, leaves none in the metastore: the table is there nevertheless.
  private def rows(table: CatalogTable): Seq[Row] = {
    val columns = CharVarcharUtils.getRawSchema(table.schema).zipWithIndex
    if (columns.isEmpty) Seq(Row.fromSeq(described(table) ++ Seq.fill(schema.size - TableColumns)(null)))
    else columns.map { case (column, index) =>
      val found = table.stats.flatMap(_.colStats.collectFirst {
        case (name, stat) if name.equalsIgnoreCase(column.name) => stat
      })
      Row.fromSeq((described(table) :+ index) ++ described(column) ++ measured(found) :+
        found.flatMap(SampleMarks.ofColumn(table, column.name, _)).orNull)
    }
  }

  private def described(table: CatalogTable): Seq[Any] = Seq(
    table.database,
    table.identifier.table,
    if (table.tableType == CatalogTableType.VIEW) "view" else "table",
    TableNames.format(table).orNull,
    table.owner,
    table.comment.orNull,
    table.stats.map(stats => decimal(stats.sizeInBytes)).orNull,
    table.stats.flatMap(_.rowCount).map(decimal).orNull,
    SampleMarks.ofRows(table).orNull
  )

  private def described(column: StructField): Seq[Any] =
    Seq(column.name, column.dataType.catalogString, column.getComment().orNull)

  private def measured(stat: Option[CatalogColumnStat]): Seq[Any] = Seq(
    stat.flatMap(_.distinctCount).map(decimal).orNull,
    stat.flatMap(_.nullCount).map(decimal).orNull,
    stat.flatMap(_.min).orNull,
    stat.flatMap(_.max).orNull,
    stat.exists(_.histogram.nonEmpty)
  )

  private def decimal(count: BigInt) = new java.math.BigDecimal(count.bigInteger)
}
