package io.adaptivespark.scan

import java.lang.reflect.{InvocationTargetException, Method}
import java.util.{List => JavaList}
import java.util.function.Supplier

import scala.util.Try

import org.apache.spark.sql.connector.expressions.filter.Predicate
import org.apache.spark.sql.connector.read.Scan
import org.slf4j.LoggerFactory

import io.adaptivespark.shim.JavaCollections._

/** The files that a scan of Iceberg's reads. By name, since Iceberg need not be there. */
private[scan] object IcebergFiles {
  private val Package = "org.apache.iceberg"
  private val Read = s"$Package.spark.source.SparkBatchQueryScan"

  // Iceberg orders these as Spark does. A UUID, which is a text in Spark, has another order in files than in Iceberg.
  private val Ordered = Set("INTEGER", "LONG", "DECIMAL", "DATE", "TIMESTAMP", "STRING")

  private val log = LoggerFactory.getLogger(getClass)

  /** True of a scan of one version of a table. */
  def areRead(scan: Scan): Boolean = scan.getClass.getName == Read

  /** True where Iceberg skips by conditions on the column just what Spark would leave out by them.
    *
    * Files from before a column with a default was added lack it, and releases before 1.12 take it for null there.
    */
  def areSkippedBy(scan: Scan, column: String): Boolean =
    Try(new IcebergFiles(scan).isOrdered(column)).getOrElse(false)

  /** The number of files that `scan` was going to read; none where it does not say. */
  def count(scan: Scan): Option[Long] = Try(new IcebergFiles(scan).tasks.size.toLong).toOption

  /** Plans the files of `scan` with `predicates` too, and keeps those it was going to read. Each then has a condition
    * of its own by which Iceberg's readers skip row groups.
    *
    * The scan stays as it was where that fails.
    */
  def narrow(scan: Scan, predicates: Seq[Predicate]): Unit = {
    def stays(why: Any): Unit = log.warn(s"The keys of a join skip nothing in ${scan.description}: $why")
    try scan.synchronized(new IcebergFiles(scan).narrow(predicates)).foreach(stays)
    catch {
      case failed: InvocationTargetException => failed.getCause match {
          case error: RuntimeException if !Cancellation.causes(error) => stays(error)
          case other => throw other
        }
      case unknown: ReflectiveOperationException => stays(unknown)
    }
  }
}

private class IcebergFiles(scan: Scan) {
  import IcebergFiles.{Ordered, Package}

  // none where the table has no version yet
  private def planning: Option[AnyRef] = Option(method("scan").invoke(scan))

  def isOrdered(column: String): Boolean = planning.filterNot(_ => isOfMetadata).exists { planning =>
    val schema = classNamed("Scan").getMethod("schema").invoke(planning)
    val field = schema.getClass.getMethod("findField", classOf[String]).invoke(schema, column)
    val dataType = field.getClass.getMethod("type").invoke(field)
    Ordered(dataType.getClass.getMethod("typeId").invoke(dataType).toString) &&
    field.getClass.getMethod("initialDefault").invoke(field) == null
  }

  // the table of a table's files, and others like it
  private def isOfMetadata: Boolean = classNamed("BaseMetadataTable").isInstance(method("table").invoke(scan))

  // those that the scan has now
  private lazy val tasks = method("tasks").invoke(scan).asInstanceOf[JavaList[AnyRef]].asScala

  /** A reason why the scan stays as it was, if it does. */
  def narrow(predicates: Seq[Predicate]): Option[String] = {
    val read = tasks.map(location(_)).toSet
    val conditions = predicates.flatMap(condition)
    planning match {
      case Some(planning) if conditions.nonEmpty =>
        val version = versionRead
        val planned = files(conditions.foldLeft(planning)(narrowed))
        if (version.isEmpty) Some("it does not say which version of its table it reads")
        else if (version != versionRead) Some("its table has another version by now")
        else if (read.size < tasks.size) Some("it reads a file several times")
        else {
          val kept = planned.filter(task => read(location(task))).asJava
          method("resetTasks", classOf[JavaList[_]]).invoke(scan, kept)
          None
        }
      case _ => None
    }
  }

  private def condition(predicate: Predicate): Option[AnyRef] = Option(
    classNamed("spark.SparkV2Filters").getMethod("convert", classOf[Predicate]).invoke(null, predicate)
  )

  private def narrowed(planning: AnyRef, condition: AnyRef): AnyRef =
    classNamed("Scan").getMethod("filter", classNamed("expressions.Expression")).invoke(planning, condition)

  private def files(planning: AnyRef): Seq[AnyRef] = {
    val planned = classNamed("Scan").getMethod("planFiles").invoke(planning).asInstanceOf[AutoCloseable]
    try planned.asInstanceOf[java.lang.Iterable[AnyRef]].asScala.toVector
    finally planned.close()
  }

  /** The version of the table that files were planned of last: a scan may name none, and plan those of the newest. */
  private def versionRead: Option[Any] = {
    val report = classesOf(_.getDeclaredFields).find(_.getName == "scanReportSupplier")
      .getOrElse(throw new NoSuchFieldException("scanReportSupplier"))
    report.setAccessible(true)
    val reported = Option(report.get(scan).asInstanceOf[Supplier[AnyRef]]).flatMap(each => Option(each.get))
    reported.map(classNamed("metrics.ScanReport").getMethod("snapshotId").invoke(_))
  }

  /** The path of a task's file. Its methods are found once, as a table may have very many files. */
  private lazy val location: AnyRef => String = {
    val fileOf = classNamed("ContentScanTask").getMethod("file")
    val pathOf = classNamed("ContentFile").getMethod("location")
    task => pathOf.invoke(fileOf.invoke(task)).toString
  }

  private def classNamed(name: String): Class[_] =
    Class.forName(s"$Package.$name", false, scan.getClass.getClassLoader)

  /** A method that a class of the scan has for its own use. */
  private def method(name: String, parameters: Class[_]*): Method = {
    val method = classesOf(_.getDeclaredMethods)
      .find(each => each.getName == name && each.getParameterTypes.toSeq == parameters)
      .getOrElse(throw new NoSuchMethodException(s"${scan.getClass.getName}.$name"))
    method.setAccessible(true)
    method
  }

  private def classesOf[T](members: Class[_] => Array[T]): Iterator[T] =
    Iterator.iterate[Class[_]](scan.getClass)(_.getSuperclass).takeWhile(_ != null).flatMap(members(_))
}
