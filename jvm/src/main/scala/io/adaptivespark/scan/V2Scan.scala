package io.adaptivespark.scan

import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression, Literal}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.plans.physical.UnknownPartitioning
import org.apache.spark.sql.catalyst.util.V2ExpressionBuilder
import org.apache.spark.sql.connector.expressions.NamedReference
import org.apache.spark.sql.connector.expressions.filter.Predicate
import org.apache.spark.sql.connector.read.SupportsRuntimeV2Filtering
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.adaptivespark.RowLevelOperation
import org.apache.spark.sql.execution.datasources.v2.{BatchScanExec, DataSourceV2ScanRelation}

import io.adaptivespark.shim.BatchScanShim

/** A scan of DataSource V2. Some sources take predicates while a query runs, as that of Iceberg does. */
private[scan] class V2Scan(override val scan: BatchScanExec) extends ScanKind {

  override def table: Option[String] = Some(scan.table.name)

  override def bytes: Long =
    scan.logicalLink.fold(super.bytes)(of =>
      ScanKind.atMost(of.collectLeaves().map(_.stats.sizeInBytes).sum)
    )

  // Subclasses may do anything.
  override def isPlain: Boolean = scan.getClass == classOf[BatchScanExec]

  // Some sources equal nothing, not even themselves, and would run twice.
  override def isReused: Boolean = scan.batch == scan.scan.toBatch

  override def sharesPredicates(other: SparkPlan): Boolean = other match {
    case source: BatchScanExec => source.scan eq scan.scan
    case _ => false
  }

  override def sharesPredicates(other: LogicalPlan): Boolean = other.exists {
    case read: DataSourceV2ScanRelation => read.scan eq scan.scan
    case _ => false
  }

  override def keepsPredicates: Boolean = true

  override def isLooped: Boolean = LoopedScans.contains(scan.scan)

  /** A list of values, of a column that the source filters by.
    *
    * Not where partitions are told from each other by what they hold: fewer might come back than a join of them
    * expects. Not where a MERGE, UPDATE or DELETE reads what it rewrites: Spark filters that by itself.
    */
  override def skipping(column: Attribute): Option[Skipping] = scan.scan match {
    case source: SupportsRuntimeV2Filtering
        if filtersBy(source, column) && mayBeNarrowed(column) && !RowLevelOperation.rewrites(scan.table) =>
      Some(Skipping.ByValues)
    case _ => None
  }

  protected def mayBeNarrowed(column: Attribute): Boolean = !StoredValues.mayBePadded(column) &&
    scan.outputPartitioning.isInstanceOf[UnknownPartitioning]

  private def filtersBy(source: SupportsRuntimeV2Filtering, column: Attribute): Boolean =
    source.filterAttributes().exists(names(_, column))

  protected def names(reference: NamedReference, column: Attribute): Boolean = reference.fieldNames match {
    case Array(name) => scan.conf.resolver(name, column.name)
    case _ => false
  }

  override def givenBySpark: Seq[Expression] = scan.runtimeFilters

  override def isTold(column: Attribute): Literal => Boolean = StoredValues.isKept

  /** The scan after its source was told the predicates, which it may heed or not; `scan` itself where it takes none. */
  override def narrowed(predicates: Seq[Seq[Expression]], counts: Option[RowGroupCounts]): SparkPlan = {
    val told: Seq[Predicate] = predicates.map(ScanKind.anyOf)
      .flatMap(new V2ExpressionBuilder(_, isPredicate = true).build()).collect {
        case predicate: Predicate => predicate
      }
    if (told.nonEmpty && tell(told)) BatchScanShim.replanned(scan) else scan
  }

  /** Tells the source that one condition of each predicate is true of every row that is needed.
    *
    * False where it does not take them.
    */
  protected def tell(predicates: Seq[Predicate]): Boolean = scan.scan match {
    case source: SupportsRuntimeV2Filtering =>
      source.filter(predicates.toArray)
      true
    case _ => false
  }
}
