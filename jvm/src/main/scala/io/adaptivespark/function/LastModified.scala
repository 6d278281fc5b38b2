package io.adaptivespark.function

import java.net.URI

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.{Row, SparkSession}
import org.apache.spark.sql.catalyst.TableIdentifier
import org.apache.spark.sql.catalyst.catalog.{CatalogTable, CatalogTableType, SessionCatalog}
import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.types.DataTypeUtils.toAttributes
import org.apache.spark.sql.execution.command.LeafRunnableCommand

import io.adaptivespark.schema.TableFunctions.{LastModified => columns}
import io.adaptivespark.shim.SessionShim

/** `adaptive_last_modified(schema, table)`: when the data of a table of the session catalog last changed.
  *
  * Delta Lake and Iceberg write a file with each commit, and that file tells; elsewhere the newest file of
  * data does. Files are listed when the query runs, once, and not where it is only explained, described or
  * made a view (see [[Done]]).
  */
object LastModified {
  def apply(arguments: Seq[Expression]): LogicalPlan = LastModifiedCommand(
    TableNames.identifier("adaptive_last_modified", arguments),
    toAttributes(columns.struct)
  )
}

final private case class LastModifiedCommand(table: TableIdentifier, override val output: Seq[Attribute])
    extends LeafRunnableCommand {
  import LastModifiedCommand._

  override def run(session: SparkSession): Seq[Row] = {
    val found = TableNames.table(session, table)
    val folders = found.toSeq.flatMap(foldersOf(SessionShim.catalog(session), _)).distinct
    val newest = NewestFile(session.sparkContext, SessionShim.hadoopConf(session), folders)
    val exists = if (TableNames.areOfSessionCatalog(session)) Some(found.isDefined) else None
    Seq(columns.row("last_modified_ms" -> newest, "table_exists" -> exists))
  }
}

private[function] object LastModifiedCommand {
  private val logs = Map("delta" -> "_delta_log", "iceberg" -> "metadata")

  private def foldersOf(catalog: SessionCatalog, table: CatalogTable): Seq[Path] =
    if (table.tableType == CatalogTableType.VIEW) Nil
    else {
      val log = TableNames.format(table).flatMap(logs.get)
      val partitions =
        if (table.partitionColumnNames.isEmpty || log.isDefined) Nil
        else
          catalog.listPartitions(table.identifier).flatMap(_.storage.locationUri)
            .filterNot(folder => table.storage.locationUri.exists(isBelow(_, folder)))
      (table.storage.locationUri ++ partitions).toSeq.map(place(_, log))
    }

  /** True of a folder that is listed with `root`: another bucket or server may have one of the same path. */
  private[function] def isBelow(root: URI, folder: URI): Boolean =
    folder.getScheme == root.getScheme && folder.getAuthority == root.getAuthority &&
      folder.getPath.startsWith(root.getPath.stripSuffix("/") + "/")

  private def place(folder: URI, log: Option[String]): Path =
    log.fold(new Path(folder))(new Path(new Path(folder), _))
}
