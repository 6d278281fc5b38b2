package io.adaptivespark.freshness

import java.util.concurrent.ConcurrentMap
import java.util.concurrent.atomic.AtomicLong

import scala.util.control.NonFatal

import com.google.common.collect.MapMaker
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.catalog.CatalogTable
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.datasources.{FileIndex, HadoopFsRelation, LogicalRelation}

import io.adaptivespark.history.DriverMemory
import io.adaptivespark.history.label.QueryId
import io.adaptivespark.history.write.Writes
import io.adaptivespark.shim.SessionShim

/** Lists the files of tables anew that a plan holds since before they were written: those of a DataFrame, and of a
  * temporary view made of one. Changes no plan.
  */
final private[adaptivespark] case class RefreshStaleFiles(session: SparkSession) extends Rule[LogicalPlan] {
  import RefreshStaleFiles._

  override def apply(plan: LogicalPlan): LogicalPlan = {
    val memory = DriverMemory.of(session.sparkContext)
    plan.collectWithSubqueries { case relation: LogicalRelation => relation }.foreach { relation =>
      (relation.relation, relation.catalogTable) match {
        case (files: HadoopFsRelation, Some(table)) =>
          refresh(files.location, table, memory.writes, memory.readers.mark(session))
        case _ =>
      }
    }
    plan
  }

  private def refresh(files: FileIndex, table: CatalogTable, writes: Writes, begun: Long): Unit = {
    val listed = listings.computeIfAbsent(files, _ => new AtomicLong(begun))
    val now = writes.mark
    val stale = writes.since(listed.get, QueryId.of(session.sparkContext))
    if (stale.holdRows(table.identifier, files.rootPaths) && isStill(table)) files.refresh()
    listed.accumulateAndGet(now, _.max(_))
  }

  /** Whether there is such a table with rows of the same form. Otherwise the plan fails, as in Spark, for lack of the
    * old files: it would take new ones for what they are not. So it does where the catalog does not answer.
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
    try catalog.tableExists(table.identifier) &&
        form(catalog.getTableMetadata(table.identifier)) == form(table)
    catch { case NonFatal(_) => false }
  }
}

private[adaptivespark] object RefreshStaleFiles {

  // The mark of the writes that a list of files has. By the list itself, which ends with the last plan that holds it.
  private val listings: ConcurrentMap[FileIndex, AtomicLong] = new MapMaker().weakKeys().makeMap()
}
