package io.adaptivespark.join.scan

import scala.reflect.ClassTag

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.plans.physical.UnknownPartitioning
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.vectorized.ColumnarBatch

/** A scan as keys left it.
  *
  * @param scan
  *   none where no row of it can match
  * @param ranges
  *   how many it was given, by filter; none where it can't be told those keys
  */
final private[adaptivespark] class PrunedScan(
    original: SparkPlan,
    scan: Option[SparkPlan],
    val ranges: Seq[Option[Int]]
) {
  def execute(): RDD[InternalRow] = scan.fold(nothing[InternalRow])(_.execute())
  def executeColumnar(): RDD[ColumnarBatch] = scan.fold(nothing[ColumnarBatch])(_.executeColumnar())

  // A join of buckets pairs partitions by number.
  private def nothing[T: ClassTag]: RDD[T] = original.outputPartitioning match {
    case _: UnknownPartitioning => original.session.sparkContext.emptyRDD[T]
    case known => original.session.sparkContext.parallelize(Seq.empty[T], known.numPartitions)
  }
}
