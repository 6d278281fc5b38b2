package io.adaptivespark.join.scan

import com.google.common.collect.MapMaker
import org.apache.spark.sql.execution.{FileSourceScanExec, LocalTableScanExec, RangeExec, SparkPlan}
import org.apache.spark.sql.execution.columnar.InMemoryTableScanExec
import org.apache.spark.sql.execution.datasources.{CatalogFileIndex, FileIndex}
import org.apache.spark.sql.execution.datasources.v2.BatchScanExec

import io.adaptivespark.join.keys.OrderPreservingCast

/** The bytes that the scans of a plan would read if nothing were skipped. */
private[adaptivespark] object ScanBytes {

  /** The size of files, or of the source that is scanned. */
  def apply(scan: SparkPlan): Long = scan match {
    case files: FileSourceScanExec => sizes.computeIfAbsent(
        files.relation.location,
        {
          case table: CatalogFileIndex if table.sizeInBytes >= files.conf.defaultSizeInBytes =>
            atMost(table.filterPartitions(Nil).sizeInBytes)
          case location => atMost(location.sizeInBytes)
        }
      )
    case cached: InMemoryTableScanExec => atMost(cached.relation.computeStats().sizeInBytes)
    case source: BatchScanExec =>
      atMost(source.logicalLink.fold(MostBytes)(_.collectLeaves().map(_.stats.sizeInBytes).sum))
    case StandIn(plan) => apply(plan)
    case _: LocalTableScanExec | _: RangeExec => 0
    case other => if (other.children.isEmpty) atMost(MostBytes) else other.children.map(apply).sum
  }

  /** The share of these bytes that the scan of `column` reads, by the widths that Spark gives to the types of columns;
    * all of them where `column` is a partition, since partitions are skipped whole.
    */
  def ofColumns(column: ProbeColumn): Long = (column.scan, column.key) match {
    case (files: FileSourceScanExec, OrderPreservingCast(key)) if !PruneScan.isPartition(files, key) =>
      val share = files.requiredSchema.defaultSize.toDouble / files.relation.dataSchema.defaultSize
      (apply(files) * math.min(1.0, math.max(LeastShare, share))).toLong
    case (scan, _) => apply(scan)
  }

  // A text may be many times as wide as its type says, and others less.
  private val LeastShare = 1.0 / 8

  // The metastore knows no size of a partitioned table that has not been analyzed since it was written,
  // and an index adds up its files whenever it is asked. Compared by identity, since indexes are equal
  // whenever their tables' names are.
  private val sizes = new MapMaker().weakKeys().makeMap[FileIndex, java.lang.Long]()

  // The size of a source that does not tell. The largest long would overflow in a sum.
  private val MostBytes = BigInt(Long.MaxValue >> 16)
  private def atMost(bytes: BigInt): Long = bytes.min(MostBytes).toLong
}
