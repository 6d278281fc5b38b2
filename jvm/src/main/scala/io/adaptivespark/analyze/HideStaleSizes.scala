package io.adaptivespark.analyze

import org.apache.spark.sql.catalyst.catalog.CatalogTable
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.datasources.{HadoopFsRelation, LogicalRelation}

/** Leaves the sizes of Delta Lake's tables to Delta Lake.
  *
  * Hive's metastore notes a size as a table is made. Delta Lake writes by its log, and leaves that size as it is: Spark
  * would broadcast a table of any size that began as a small one.
  */
object HideStaleSizes extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan = plan.transformWithSubqueries {
    case relation: LogicalRelation if isOfFiles(relation) && relation.catalogTable.exists(isStale) =>
      relation.copy(catalogTable = relation.catalogTable.map(_.copy(stats = None)))
  }

  // others, such as Delta Lake's feed of changes, do not know their size
  private def isOfFiles(relation: LogicalRelation): Boolean = relation.relation.isInstanceOf[HadoopFsRelation]

  // with rows they are of an ANALYZE, which some of Delta Lake's vendors have
  private def isStale(table: CatalogTable): Boolean =
    table.provider.exists(_.equalsIgnoreCase("delta")) &&
      table.stats.exists(found => found.rowCount.forall(_ == 0) && found.colStats.isEmpty)
}
