package io.adaptivespark.freshness

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.TableIdentifier
import org.apache.spark.sql.catalyst.catalog.CatalogTable
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.connector.catalog.Identifier
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.adaptive.AdaptiveSparkPlanExec
import org.apache.spark.sql.execution.command.{DataWritingCommandExec, ExecutedCommandExec, RunnableCommand}
import org.apache.spark.sql.execution.datasources.InsertIntoHadoopFsRelationCommand
import org.apache.spark.sql.execution.datasources.v2.{
  DeleteFromTableExec,
  V1FallbackWriters,
  V2CommandExec,
  V2TableWriteExec
}

import io.adaptivespark.history.DriverMemory
import io.adaptivespark.history.label.QueryId
import io.adaptivespark.history.write.WrittenTables

/** Notes which tables the plan of a statement writes, before it runs. Changes no plan. */
final private[adaptivespark] class NoteWrites(session: SparkSession) {
  import NoteWrites.written

  def apply(plan: SparkPlan): SparkPlan = {
    written(plan).foreach { tables =>
      val context = session.sparkContext
      DriverMemory.of(context).writes.began(QueryId.of(context), session, tables)
    }
    plan
  }
}

private object NoteWrites {

  // Commands whose names begin so change no table. One that is missing here costs other sessions a listing of files.
  private val reading = Seq(
    "Add",
    "Cache",
    "CreateFunction",
    "CreateNamespace",
    "CreateSQLFunction",
    "CreateUserDefinedFunction",
    "CreateVariable",
    "CreateView",
    "Describe",
    "DropFunction",
    "DropTempView",
    "DropVariable",
    "Explain",
    "KeepStatistics",
    "LastModified",
    "List",
    "Refresh",
    "RememberPrior",
    "Reset",
    "SetCatalog",
    "SetCommand",
    "SetNamespace",
    "SetPath",
    "SetVariable",
    "Show",
    "StreamingExplain",
    "Uncache"
  )
  private val describing = Seq("Analyze", "RestoreStatistics")

  private def written(plan: SparkPlan): Option[WrittenTables] = plan match {
    case adaptive: AdaptiveSparkPlanExec => written(adaptive.inputPlan)
    case ExecutedCommandExec(command) => by(command)
    case DataWritingCommandExec(command, _) => by(command)
    // Spark asks the tables of such a source anew for each query.
    case _: V2TableWriteExec | _: V1FallbackWriters | _: DeleteFromTableExec => None
    case command: V2CommandExec => named(command)
    case _ => None
  }

  private def by(command: LogicalPlan): Option[WrittenTables] = command match {
    case insert: InsertIntoHadoopFsRelationCommand if insert.catalogTable.isEmpty =>
      Some(WrittenTables.in(insert.outputPath))
    case _ => named(command)
  }

  private def named(command: Product): Option[WrittenTables] = command.getClass.getSimpleName match {
    case name if reading.exists(name.startsWith) => None
    case name if describing.exists(name.startsWith) => Some(WrittenTables.described(tables(command)))
    case _ => Some(WrittenTables.named(tables(command)))
  }

  /** The tables that a command names. */
  private def tables(command: Product): Seq[TableIdentifier] = command.productIterator.flatMap {
    case Some(table) => identifiers(table)
    case table => identifiers(table)
  }.toVector

  private def identifiers(argument: Any): Seq[TableIdentifier] = argument match {
    case name: TableIdentifier => Seq(name)
    case table: CatalogTable => Seq(table.identifier)
    case name: Identifier if name.namespace.length == 1 =>
      Seq(TableIdentifier(name.name, Some(name.namespace.head)))
    case command: RunnableCommand => tables(command)
    case _ => Nil
  }
}
