package io.adaptivespark.scan

import scala.concurrent.Future

import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.columnar.{DefaultCachedBatchSerializer, InMemoryTableScanExec}
import org.apache.spark.sql.types.BinaryType

/** A scan of a cached table, which skips batches by their statistics. */
private[scan] class CachedScan(override val scan: InMemoryTableScanExec) extends ScanKind {
  import scan.relation

  override def table: Option[String] = {
    val of = relation.cacheBuilder
    of.tableName.orElse(Some(ScanName.tables(of.cachedPlan).mkString(", "))).filter(_.nonEmpty)
  }

  // a cached query has no name but its plan, with numbers that are others each time
  override def relativeName: String =
    relation.cacheBuilder.tableName.fold(relation.output.map(_.name).mkString(", "))(ScanName.last)

  override def bytes: Long = ScanKind.atMost(relation.computeStats().sizeInBytes)

  override def rows: Future[Long] =
    Future.fromTry(relation.computeStats().rowCount.map(_.toLong).toRight(ScanKind.unknownRows).toTry)

  // Subclasses may do anything.
  override def isPlain: Boolean = scan.getClass == classOf[InMemoryTableScanExec]

  override def madeBy: Option[SparkPlan] = Some(relation.cachedPlan)

  // Spark itself reads it by batches only where nothing is computed from its columns.
  override def keepsBatches: Boolean =
    relation.cacheBuilder.serializer.getClass == classOf[DefaultCachedBatchSerializer]

  override def logicalNode: Option[LogicalPlan] = Some(relation)

  override def isCaching: Boolean = !scan.isMaterialized

  override def skipping(column: Attribute): Option[Skipping] =
    if (scan.conf.inMemoryPartitionPruning && column.dataType != BinaryType) Some(Skipping.ByRanges) else None

  override def narrowed(predicates: Seq[Seq[Expression]], counts: Option[RowGroupCounts]): SparkPlan =
    new InMemoryTableScanExec(scan.attributes, scan.predicates ++ predicates.map(ScanKind.anyOf), relation) {
      override lazy val metrics = scan.metrics
    }
}
