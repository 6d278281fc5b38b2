package io.adaptivespark.formats

import java.lang.reflect.Method

import scala.util.matching.Regex

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow

/** Deletes of rows by the values of a column, which Spark reads and never writes: other engines do. By the classes that
  * Iceberg's own writers of Spark use, by name, since Iceberg need not be there.
  */
private[formats] object EqualityDeletes {
  private val Package = "org.apache.iceberg"
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
    val table = call(null, classNamed("spark.Spark3Util"), "loadIcebergTable", spark, name)
    val schema = call(table, classNamed("Table"), "schema")
    val field = call(schema, classNamed("Schema"), "findField", column)
    val id = call(field, classNamed("types.Types$NestedField"), "fieldId").asInstanceOf[Int]
    val keys = call(schema, classNamed("Schema"), "select", Array(column))
    val writers = classNamed("spark.source.SparkFileWriterFactory")
    val building = classNamed("spark.source.SparkFileWriterFactory$Builder")
    val builder = call(null, writers, "builderFor", table)
    call(builder, building, "equalityFieldIds", Array(id))
    call(builder, building, "equalityDeleteRowSchema", keys)
    val factory = call(builder, building, "build")
    val files = classNamed("io.OutputFileFactory")
    val naming = call(null, files, "builderFor", table, Int.box(1), Long.box(1))
    val file = call(call(naming, classNamed("io.OutputFileFactory$Builder"), "build"), files, "newOutputFile")
    val spec = call(table, classNamed("Table"), "spec")
    val writer =
      call(factory, classNamed("io.FileWriterFactory"), "newEqualityDeleteWriter", file, spec, null)
    val writing = classNamed("deletes.EqualityDeleteWriter")
    values.foreach(value => call(writer, writing, "write", new GenericInternalRow(Array[Any](value))))
    call(writer, writing, "close")
    val change = call(table, classNamed("Table"), "newRowDelta")
    call(change, classNamed("RowDelta"), "addDeletes", call(writer, writing, "toDeleteFile"))
    call(change, classNamed("PendingUpdate"), "commit")
  }

  private def call(of: Any, by: Class[_], name: String, arguments: Any*): AnyRef = {
    def fits(method: Method): Boolean = method.getName == name &&
      method.getParameterCount == arguments.size &&
      method.getParameterTypes.zip(arguments).forall { case (parameter, argument) =>
        argument == null || parameter.isInstance(argument) ||
        (parameter.isPrimitive && !argument.isInstanceOf[String])
      }
    val methods =
      Iterator.iterate[Class[_]](by)(_.getSuperclass).takeWhile(_ != null).flatMap(_.getDeclaredMethods)
    val method = (methods ++ by.getMethods).find(
      fits
    ).getOrElse(throw new NoSuchMethodException(s"$by.$name"))
    method.setAccessible(true)
    method.invoke(of, arguments.map(_.asInstanceOf[AnyRef]): _*)
  }

  private def classNamed(name: String): Class[_] = Class.forName(s"$Package.$name")
}
