package io.adaptivespark.function

import java.io.FileNotFoundException
import java.net.URI

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.catalog.{CatalogTable, CatalogTableType, SessionCatalog}
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.plans.logical.{LocalRelation, LogicalPlan}
import org.apache.spark.sql.catalyst.types.DataTypeUtils.toAttributes

import io.adaptivespark.schema.TableFunctions.{LastModified => schema}
import io.adaptivespark.shim.SessionShim

/** `adaptive_last_modified(schema, table)`: when the data of a table of the session catalog last changed.
  *
  * Delta Lake and Iceberg write a file with each commit, and that file tells; elsewhere the newest file of
  * data does.
  */
object LastModified {
  private val logs = Map("delta" -> "_delta_log", "iceberg" -> "metadata")

  def apply(session: SparkSession, arguments: Seq[Expression]): LogicalPlan = {
    val catalog = SessionShim.catalog(session)
    val table = TableNames.table(session, TableNames.identifier("adaptive_last_modified", arguments))
    val newest = table.flatMap(newestFile(catalog, _, SessionShim.hadoopConf(session)))
    val exists = Option.when(TableNames.areOfSessionCatalog(session))(table.isDefined)
    val row = schema.row("last_modified_ms" -> newest, "table_exists" -> exists)
    LocalRelation.fromExternalRows(toAttributes(schema.struct), Seq(row))
  }

  private def newestFile(catalog: SessionCatalog, table: CatalogTable, conf: Configuration): Option[Long] =
    if (table.tableType == CatalogTableType.VIEW) None
    else {
      val log = TableNames.format(table).flatMap(logs.get)
      val partitions =
        if (table.partitionColumnNames.isEmpty || log.isDefined) Nil
        else
          catalog.listPartitions(table.identifier).flatMap(_.storage.locationUri).filterNot(isBelow(table, _))
      val folders = (table.storage.locationUri ++ partitions).toSeq.map(place(_, log))
      folders.distinct.flatMap(newestFile(_, conf)).maxOption
    }

  private def isBelow(table: CatalogTable, folder: URI): Boolean =
    table.storage.locationUri.exists(root => folder.getPath.startsWith(root.getPath.stripSuffix("/") + "/"))

  private def place(folder: URI, log: Option[String]): Path =
    log.fold(new Path(folder))(new Path(new Path(folder), _))

  private def newestFile(folder: Path, conf: Configuration): Option[Long] =
    try {
      val files = folder.getFileSystem(conf).listFiles(folder, true)
      var newest = Option.empty[Long]
      while (files.hasNext) {
        val file = files.next()
        val below = file.getPath.toUri.getPath.drop(folder.toUri.getPath.length)
        if (below.split('/').forall(isData)) newest = (newest ++ Some(file.getModificationTime)).maxOption
      }
      newest
    } catch { case _: FileNotFoundException => None }

  // Leaves out Spark's marks and files that other programs hide or have not finished, but no partitions:
  // `_day=1`.
  private def isData(name: String): Boolean =
    !name.startsWith(".") && (!name.startsWith("_") || name.contains("="))
}
