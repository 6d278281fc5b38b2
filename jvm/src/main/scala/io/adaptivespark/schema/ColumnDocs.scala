package io.adaptivespark.schema

import org.json4s.JsonAST._

import io.adaptivespark.conf.ConfigDocs

/** The columns of the table functions as `columns.json`, for the dbt adapter, and as `docs/reference/columns.md`. */
object ColumnDocs {

  def json: JValue = JObject(TableFunctions.all.map { table =>
    table.function -> JArray(table.columns.map { column =>
      JObject(
        "name" -> JString(column.name),
        "type" -> JString(column.dataType),
        "of" -> JString(column.of),
        "doc" -> JString(column.doc)
      )
    }.toList)
  }.toList)

  def markdown: String = {
    val header =
      """# Columns of the table functions
        |
        |What each row and column means. The tables are generated from the extension's sources by
        |`make docs`.
        |""".stripMargin
    TableFunctions.all.map(section).mkString(header, "", "")
  }

  private def section(table: TableSchema): String = {
    val rows = table.columns.map(column => s"| `${column.name}` | ${column.dataType} | ${column.doc} |")
    val sentence = s"A row of `${table.function}(${table.arguments})` is ${table.rowIs.stripSuffix(".")}."
    val header =
      Seq(
        "",
        s"## ${table.function}",
        ConfigDocs.wrapped(sentence),
        "",
        "| Column | Type | Meaning |",
        "|---|---|---|"
      )
    (header ++ rows).mkString("", "\n", "\n")
  }
}
