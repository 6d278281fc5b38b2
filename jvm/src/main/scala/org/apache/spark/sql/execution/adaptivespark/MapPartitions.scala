package org.apache.spark.sql.execution.adaptivespark

import scala.reflect.ClassTag

import org.apache.spark.rdd.RDD

/** Maps partitions by functions that Spark sends as they are; `RDD`'s own for that are private to Spark.
  *
  * Those that are public read the class file of the function first, to clean it. In a Thrift server there is none to
  * read once the class loader of `spark.jars` is closed.
  */
object MapPartitions {
  def apply[T, U: ClassTag](rows: RDD[T])(to: Iterator[T] => Iterator[U]): RDD[U] =
    rows.mapPartitionsInternal(to)

  /** The function is told the number of the partition. */
  def withIndex[T, U: ClassTag](rows: RDD[T])(to: (Int, Iterator[T]) => Iterator[U]): RDD[U] =
    rows.mapPartitionsWithIndexInternal(to, preservesPartitioning = true)
}
