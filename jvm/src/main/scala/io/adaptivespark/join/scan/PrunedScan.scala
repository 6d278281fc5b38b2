package io.adaptivespark.join.scan

import scala.reflect.ClassTag

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.plans.physical.UnknownPartitioning
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.vectorized.ColumnarBatch

import io.adaptivespark.scan.ScanKind

/** A scan that was given the keys of its filters.
  *
  * @param scan
  *   none where no row of it can match
  * @param ranges
  *   by filter: the number of ranges that it took; none where its reader would compare other values
  * @param isRefused
  *   by filter: true where it was given ranges and took none
  */
final private[adaptivespark] class PrunedScan(
    original: SparkPlan,
    scan: Option[SparkPlan],
    val ranges: Seq[Option[Int]],
    val isRefused: Seq[Boolean]
) {

  /** The number of files that it reads, once it runs. */
  def filesRead: Option[() => Long] = scan.fold(Option(() => 0L))(ScanKind.of(_).filesRead)

  def execute(): RDD[InternalRow] = scan.fold(nothing[InternalRow])(_.execute())
  def executeColumnar(): RDD[ColumnarBatch] = scan.fold(nothing[ColumnarBatch])(_.executeColumnar())

  // A join of buckets pairs partitions by number.
  private def nothing[T: ClassTag]: RDD[T] = original.outputPartitioning match {
    case _: UnknownPartitioning => original.session.sparkContext.emptyRDD[T]
    case known => original.session.sparkContext.parallelize(Seq.empty[T], known.numPartitions)
  }
}
