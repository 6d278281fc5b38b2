package io.adaptivespark.freshness

import java.util.concurrent.ConcurrentMap

import com.google.common.collect.MapMaker
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.catalog.CatalogTable
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.datasources.{FileIndex, HadoopFsRelation, LogicalRelation}

import io.adaptivespark.history.{DriverMemory, QueryId, Writes}
import io.adaptivespark.shim.SessionShim

/** Lists the files of tables anew that a plan holds since before they were written: those of a DataFrame, and of a
  * temporary view made of one. Changes no plan.
  */
final private[adaptivespark] case class RefreshStaleFiles(session: SparkSession) extends Rule[LogicalPlan] {
  import RefreshStaleFiles._

  override def apply(plan: LogicalPlan): LogicalPlan = {
    val memory = DriverMemory.of(session.sparkContext)
    plan.foreachWithSubqueries {
      case relation: LogicalRelation => (relation.relation, relation.catalogTable) match {
          case (files: HadoopFsRelation, Some(table)) =>
            refresh(files.location, table, memory.writes, memory.readers.mark(session))
          case _ =>
        }
      case _ =>
    }
    plan
  }

  private def refresh(files: FileIndex, table: CatalogTable, writes: Writes, begun: Long): Unit = {
    val listing = listings.computeIfAbsent(files, _ => new Listing(begun))
    listing.synchronized {
      val now = writes.mark
      val stale = writes.since(listing.mark, QueryId.of(session.sparkContext))
      if (stale.holds(table.identifier, files.rootPaths) && isStill(table)) files.refresh()
      listing.mark = now
    }
  }

  /** Whether there is such a table with rows of the same form.
    *
    * Otherwise the plan fails, as in Spark, for lack of the old files: it would take new ones for what they are not.
    */
  private def isStill(table: CatalogTable): Boolean = {
    val catalog = SessionShim.catalog(session)
    def form(of: CatalogTable) =
      (
        of.provider,
        of.schema,
        of.partitionColumnNames,
        of.storage.locationUri,
        of.storage.serde,
        of.storage.properties
      )
    catalog.tableExists(table.identifier) && form(catalog.getTableMetadata(table.identifier)) == form(table)
  }
}

private[adaptivespark] object RefreshStaleFiles {

  /** When files were listed: the mark of the writes whose files are in the list. */
  private final class Listing(var mark: Long)

  // By the list itself, which ends with the last plan that holds it.
  private val listings: ConcurrentMap[FileIndex, Listing] = new MapMaker().weakKeys().makeMap()
}
