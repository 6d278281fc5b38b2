package io.adaptivespark.join.scan

import scala.concurrent.{blocking, ExecutionContext, Future}

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.orc.OrcFile
import org.apache.parquet.HadoopReadOptions
import org.apache.parquet.hadoop.ParquetFileReader
import org.apache.parquet.hadoop.util.HadoopInputFile
import org.apache.spark.sql.catalyst.expressions.PlanExpression
import org.apache.spark.sql.execution.{FileSourceScanExec, SparkPlan}
import org.apache.spark.sql.execution.adaptive.TableCacheQueryStageExec
import org.apache.spark.sql.execution.columnar.InMemoryTableScanExec
import org.apache.spark.sql.execution.datasources.{FileFormat, PartitioningAwareFileIndex}
import org.apache.spark.sql.execution.datasources.orc.OrcFileFormat
import org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat

/** The number of rows that a scan would give if nothing were skipped: those that its largest file has by its
  * footer, scaled by bytes to all files.
  */
private[adaptivespark] object RowsInFiles {

  /** Fails for files that Spark has not listed anyhow, and for formats other than Parquet and ORC.
    *
    * The file is opened in another thread, beside the query.
    */
  def estimate(scan: SparkPlan): Future[Long] = scan match {
    case files: FileSourceScanExec => ofFiles(files)
    case cached: InMemoryTableScanExec =>
      Future.fromTry(cached.relation.computeStats().rowCount.map(_.toLong).toRight(unknown).toTry)
    case stage: TableCacheQueryStageExec => estimate(stage.plan)
    case _ => Future.failed(unknown)
  }

  private def unknown = new UnsupportedOperationException("The scan does not say how many rows it has.")

  // Not by the scan's own list, which counts into its metrics.
  private def ofFiles(scan: FileSourceScanExec): Future[Long] = scan.relation.location match {
    case listed: PartitioningAwareFileIndex =>
      import scan.relation
      val conf = relation.sparkSession.sessionState.newHadoopConfWithOptions(relation.options)
      val partitions = scan.partitionFilters.filterNot(_.exists(_.isInstanceOf[PlanExpression[_]]))
      val files = listed.listFiles(partitions, Nil).flatMap(_.files).filter(_.getLen > 0)
      files.reduceOption((a, b) => if (b.getLen > a.getLen) b else a).fold(Future.successful(0L)) { largest =>
        Future(blocking {
          val rows = rowsOf(relation.fileFormat, largest.getPath, conf)
          (rows * (files.map(_.getLen).sum.toDouble / largest.getLen)).round
        })(ExecutionContext.global)
      }
    case _ => Future.failed(unknown)
  }

  private def rowsOf(format: FileFormat, file: Path, conf: Configuration): Long = format match {
    case _: ParquetFileFormat =>
      val options = HadoopReadOptions.builder(conf).build()
      val reader = ParquetFileReader.open(HadoopInputFile.fromPath(file, conf), options)
      try reader.getRecordCount
      finally reader.close()
    case _: OrcFileFormat =>
      val reader = OrcFile.createReader(file, OrcFile.readerOptions(conf))
      try reader.getNumberOfRows
      finally reader.close()
    case _ => throw unknown
  }
}
