package org.apache.spark.sql.execution.adaptivespark

import java.util.Locale

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.parquet.HadoopReadOptions
import org.apache.parquet.hadoop.ParquetFileReader
import org.apache.parquet.hadoop.util.HadoopInputFile
import org.apache.spark.TaskContext
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.execution.datasources.PartitionedFile
import org.apache.spark.sql.execution.metric.SQLMetric
import org.apache.spark.sql.types.StructType
import org.apache.spark.util.{AccumulatorV2, SerializableConfiguration}

import io.adaptivespark.shim.JavaCollections._

/** Parquet that counts the row groups of the files it is given, and those of them that it reads.
  *
  * It opens each file twice.
  *
  * @param bytesRead
  *   of the columns that are needed, in the row groups read: those of a file are taken to be equally large. Spark's own
  *   count of bytes leaves out what is read vectored, which is most of a file
  */
class CountingParquet(all: SQLMetric, read: SQLMetric, bytesRead: SQLMetric) extends RetryingParquet {

  override protected def observed(
      session: SparkSession,
      requiredSchema: StructType,
      hadoopConf: Configuration
  )(
      reader: PartitionedFile => Iterator[InternalRow]
  ): PartitionedFile => Iterator[InternalRow] = {
    val conf = session.sparkContext.broadcast(new SerializableConfiguration(hadoopConf))
    val columns = requiredSchema.fieldNames.map(_.toLowerCase(Locale.ROOT)).toSet
    file => {
      val sizes = CountingParquet.rowGroupSizes(file, columns, conf.value.value)
      all.add(sizes.size.toLong)
      CountingParquet.reporting { count =>
        read.add(count.toLong)
        if (count > 0) bytesRead.add((sizes.sum.toDouble * count / sizes.size).round)
      }(reader(file))
    }
  }
}

private object CountingParquet {

  /** In bytes, of these columns alone. */
  private def rowGroupSizes(file: PartitionedFile, columns: Set[String], conf: Configuration): Seq[Long] = {
    val options = HadoopReadOptions.builder(conf).withRange(file.start, file.start + file.length).build()
    val input = HadoopInputFile.fromPath(new Path(file.toPath.toString), conf)
    val reader = ParquetFileReader.open(input, options)
    try reader.getRowGroups.asScala.toVector.map { group =>
        val needed = group.getColumns.asScala.filter(chunk =>
          columns.contains(chunk.getPath.iterator.next().toLowerCase(Locale.ROOT))
        )
        needed.map(_.getTotalSize).sum
      }
    finally reader.close()
  }

  /** Spark's reader tells the last accumulator of its task how many row groups it will read, if that has the name
    * of the one in Spark's own tests.
    */
  private def reporting[T](report: Int => Unit)(open: => T): T = {
    val metrics = TaskContext.get().taskMetrics()
    val counter = new NumRowGroupsAcc(report)
    TaskAccumulators.within(metrics, counter)(open)
  }
}

private class NumRowGroupsAcc(report: Int => Unit) extends AccumulatorV2[Integer, Integer] {
  override def add(count: Integer): Unit = report(count)
  override def isZero: Boolean = false
  override def copy(): NumRowGroupsAcc = this
  override def reset(): Unit = ()
  override def merge(other: AccumulatorV2[Integer, Integer]): Unit = ()
  override def value: Integer = 0
}
