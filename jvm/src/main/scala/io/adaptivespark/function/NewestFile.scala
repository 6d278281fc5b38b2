package io.adaptivespark.function

import java.io.FileNotFoundException

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{LocatedFileStatus, Path, RemoteIterator}
import org.apache.spark.{InterruptibleIterator, SparkContext, TaskContext}
import org.apache.spark.sql.execution.adaptivespark.MapPartitions
import org.apache.spark.util.SerializableConfiguration

/** The newest file of data below some folders. */
private[function] object NewestFile {

  // Partitions that lie elsewhere than their table may be many.
  private val MostTasks = 64

  /** Its time, in milliseconds since 1970; none where there is no such file.
    *
    * A job lists them, since what cancels a query ends its jobs. A listing on the driver could not be ended.
    */
  def apply(context: SparkContext, conf: Configuration, folders: Seq[Path]): Option[Long] =
    if (folders.isEmpty) None
    else {
      val sent = context.broadcast(new SerializableConfiguration(conf))
      val parts = context.parallelize(folders.map(_.toString), folders.size.min(MostTasks))
      try
        MapPartitions(parts)(_.flatMap(folder =>
          in(new Path(folder), sent.value.value)
        )).collect().reduceOption(_ max _)
      finally sent.destroy()
    }

  private def in(folder: Path, conf: Configuration): Option[Long] =
    try {
      val listed = iterator(folder.getFileSystem(conf).listFiles(folder, true))
      val files = Option(TaskContext.get()).fold(listed)(new InterruptibleIterator(_, listed))
      files.filter(file => isOfData(below(folder, file.getPath))).map(
        _.getModificationTime
      ).reduceOption(_ max _)
    } catch { case _: FileNotFoundException => None }

  private def iterator(files: RemoteIterator[LocatedFileStatus]): Iterator[LocatedFileStatus] =
    new Iterator[LocatedFileStatus] {
      override def hasNext: Boolean = files.hasNext
      override def next(): LocatedFileStatus = files.next()
    }

  private def below(folder: Path, file: Path): String =
    file.toUri.getPath.drop(folder.toUri.getPath.length)

  // Leaves out Spark's marks and files that other programs hide or have not finished, but no partitions:
  // `_day=1`.
  private def isOfData(path: String): Boolean =
    path.split('/').forall(name => !name.startsWith(".") && (!name.startsWith("_") || name.contains("=")))
}
