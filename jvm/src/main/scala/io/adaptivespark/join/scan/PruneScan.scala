package io.adaptivespark.join.scan

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.adaptivespark.ActiveSession
import org.apache.spark.sql.types.NumericType

import io.adaptivespark.join.keys.{KeyRanges, OrderPreservingCast}
import io.adaptivespark.join.keys.testing.ColumnKeys
import io.adaptivespark.scan.{RowGroupCounts, ScanKind}

/** Gives a scan the keys as a predicate that its kind can skip data by. A column it can't skip by gets none. */
private[adaptivespark] object PruneScan {

  /** True where the scan of `column` can skip data by it that nothing else skips.
    *
    * @param byBroadcast
    *   true where a broadcast join asks: Spark's own dynamic partition pruning has the keys
    *   of such joins, and of no others
    */
  def canPrune(column: ProbeColumn, byBroadcast: Boolean): Boolean = column.key match {
    case OrderPreservingCast(attribute) =>
      column.kind.skipping(attribute).isDefined && !(byBroadcast && isPruned(column.kind, attribute))
    case _ => false
  }

  private def isPruned(kind: ScanKind, column: Attribute): Boolean = kind.givenBySpark.exists {
    case DynamicPruningExpression(child) => child.references.contains(column)
    case _ => false
  }

  /** @param probeKeys
    *   by filter, over the output of `scan`
    * @param counts
    *   metrics of Parquet's row groups, where these are counted
    */
  def apply(
      scan: SparkPlan,
      probeKeys: Seq[Expression],
      keys: Seq[Option[ColumnKeys]],
      maxRanges: Int,
      counts: Option[RowGroupCounts]
  ): PrunedScan = {
    val kind = ScanKind.of(scan)
    val most = math.max(1, math.min(maxRanges, kind.rangesInAll / math.max(1, keys.count(_.isDefined))))
    val predicates = probeKeys.zip(keys).map {
      case (OrderPreservingCast(key), Some(found)) =>
        val column = inScan(scan, key)
        kind.skipping(column)
          .map(ScanPredicates(column, found, kind.ranges(column, math.min(KeyRanges.Few, most), most), _))
          .filter(isTold(kind, column, _))
      case _ => None
    }
    val told = predicates.flatten
    val read =
      if (told.exists(_.isEmpty)) None
      else if (told.isEmpty) Some(scan)
      else Some(ActiveSession.of(scan)(kind.narrowed(told, counts)))
    val isTaken = told.nonEmpty && !read.exists(_ eq scan)
    new PrunedScan(
      scan,
      read,
      ranges = predicates.map(_.filter(_ => isTaken).map(_.size)),
      isRefused = predicates.map(_.isDefined && !isTaken)
    )
  }

  // The column by the name that the table has: queries may write it in another case.
  private def inScan(scan: SparkPlan, column: Attribute): Attribute =
    scan.output.find(_.exprId == column.exprId).getOrElse(column)

  // Numbers are the same for every reader.
  private def isTold(kind: ScanKind, column: Attribute, conditions: Seq[Expression]): Boolean =
    column.dataType.isInstanceOf[NumericType] || {
      val isTold = kind.isTold(column)
      conditions.forall(_.collect { case literal: Literal => literal }.forall(isTold))
    }
}
