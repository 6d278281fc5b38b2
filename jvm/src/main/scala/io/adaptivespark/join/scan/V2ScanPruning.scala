package io.adaptivespark.join.scan

import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression}
import org.apache.spark.sql.catalyst.plans.physical.UnknownPartitioning
import org.apache.spark.sql.catalyst.util.V2ExpressionBuilder
import org.apache.spark.sql.connector.expressions.filter.Predicate
import org.apache.spark.sql.connector.read.SupportsRuntimeV2Filtering
import org.apache.spark.sql.execution.adaptivespark.RowLevelOperation
import org.apache.spark.sql.execution.datasources.v2.BatchScanExec

import io.adaptivespark.shim.BatchScanShim

/** Scans of DataSource V2 that take filters while a query runs, as those of Iceberg do. */
private[adaptivespark] object V2ScanPruning {

  /** True where `scan` can skip data by `column`.
    *
    * Not where partitions are told from each other by what they hold: fewer might come back than a join of them
    * expects. Not where a MERGE, UPDATE or DELETE reads what it rewrites: Spark filters that by itself.
    */
  def takes(scan: BatchScanExec, column: Attribute): Boolean = scan.scan match {
    case source: SupportsRuntimeV2Filtering =>
      val named = source.filterAttributes().exists(_.fieldNames match {
        case Array(name) => scan.conf.resolver(name, column.name)
        case _ => false
      })
      named && scan.outputPartitioning.isInstanceOf[UnknownPartitioning] &&
      !RowLevelOperation.rewrites(scan.table)
    case _ => false
  }

  /** `scan` after its source was told `conditions`, which it may heed or not. */
  def withFilters(scan: BatchScanExec, conditions: Seq[Expression]): BatchScanExec = {
    val predicates: Seq[Predicate] =
      conditions.flatMap(new V2ExpressionBuilder(_, isPredicate = true).build()).collect {
        case predicate: Predicate => predicate
      }
    scan.scan match {
      case source: SupportsRuntimeV2Filtering if predicates.nonEmpty =>
        source.filter(predicates.toArray)
        BatchScanShim.replanned(scan)
      case _ => scan
    }
  }
}
