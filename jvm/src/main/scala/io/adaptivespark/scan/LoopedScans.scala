package io.adaptivespark.scan

import java.util.Collections

import com.google.common.collect.MapMaker
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.connector.read.Scan
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2ScanRelation

/** Scans of sources that are read by one plan after another, as by each step of a recursive CTE. A source that takes
  * predicates for good would leave out for the next step what only the last one did not need.
  */
private[adaptivespark] object LoopedScans {
  // By identity: some sources' scans change what they equal.
  private val scans =
    Collections.newSetFromMap[Scan](new MapMaker().weakKeys().makeMap[Scan, java.lang.Boolean]())

  /** Notes the scans in plans that an operator of `plan` makes its own plans of, each with the very same scans. */
  def note(plan: SparkPlan): Unit = for {
    leaf <- plan.collectLeaves()
    run <- leaf.productIterator.collect { case run: LogicalPlan => run }
    scan <- run.collectWithSubqueries { case relation: DataSourceV2ScanRelation => relation.scan }
  } scans.add(scan)

  def contains(scan: Scan): Boolean = scans.contains(scan)
}
