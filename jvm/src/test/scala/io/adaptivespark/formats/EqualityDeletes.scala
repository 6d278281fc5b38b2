package io.adaptivespark.formats

import scala.util.matching.Regex

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow

/** Deletes of rows by the values of a column, which Spark reads and never writes: other engines do. By the classes that
  * Iceberg's own writers of Spark use.
  */
private[formats] object EqualityDeletes {
  import IcebergCalls.call

  private val Writers = "spark.source.SparkFileWriterFactory"
  private val Files = "io.OutputFileFactory"
  private val Writer = "deletes.EqualityDeleteWriter"
  private val Statement: Regex = """EQUALITY DELETE FROM (\S+) WHERE (\w+) IN \(([\d, ]+)\)""".r

  /** The statement that [[ran]] understands. */
  def statement(table: String, column: String, values: Seq[Long]): String =
    s"EQUALITY DELETE FROM $table WHERE $column IN (${values.mkString(", ")})"

  /** True if `statement` is one of these, which has been run then, on a table without partitions. */
  def ran(spark: SparkSession, statement: String): Boolean = statement match {
    case Statement(table, column, values) =>
      commit(spark, table, column, values.split(",").toSeq.map(_.trim.toLong))
      spark.sql(s"REFRESH TABLE $table")
      true
    case _ => false
  }

  private def commit(spark: SparkSession, name: String, column: String, values: Seq[Long]): Unit = {
    val table = IcebergCalls.table(spark, name)
    val schema = call(table, "Table", "schema")
    val field = call(schema, "Schema", "findField", column)
    val id = call(field, "types.Types$NestedField", "fieldId").asInstanceOf[Int]
    val keys = call(schema, "Schema", "select", Array(column))
    val builder = call(null, Writers, "builderFor", table)
    call(builder, s"$Writers$$Builder", "equalityFieldIds", Array(id))
    call(builder, s"$Writers$$Builder", "equalityDeleteRowSchema", keys)
    val factory = call(builder, s"$Writers$$Builder", "build")
    val naming = call(null, Files, "builderFor", table, Int.box(1), Long.box(1))
    val file = call(call(naming, s"$Files$$Builder", "build"), Files, "newOutputFile")
    val spec = call(table, "Table", "spec")
    val writer = call(factory, "io.FileWriterFactory", "newEqualityDeleteWriter", file, spec, null)
    values.foreach(value => call(writer, Writer, "write", new GenericInternalRow(Array[Any](value))))
    call(writer, Writer, "close")
    val change = call(table, "Table", "newRowDelta")
    call(change, "RowDelta", "addDeletes", call(writer, Writer, "toDeleteFile"))
    call(change, "PendingUpdate", "commit")
  }
}
