package io.adaptivespark.scan

import java.io.IOException
import java.lang.reflect.{InvocationTargetException, Method}
import java.util.{List => JavaList, Map => JavaMap}
import java.util.function.Supplier

import scala.util.Try
import scala.util.control.NonFatal

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
    * False, and the scan as it was, where that fails or would not be safe.
    */
  def narrow(scan: Scan, predicates: Seq[Predicate]): Boolean = {
    def stays(why: Any): Boolean = {
      log.warn(s"The keys of a join skip nothing in ${scan.description}: $why")
      false
    }
    // files are planned while they are asked for, so that each of these may come bare, too
    def failed(error: Throwable): Boolean = error match {
      case _: RuntimeException | _: IOException if !Cancellation.causes(error) => stays(error)
      case other => throw other
    }
    try scan.synchronized(new IcebergFiles(scan).narrow(predicates)).fold(true)(stays)
    catch {
      case wrapped: InvocationTargetException => failed(wrapped.getCause)
      case unknown: ReflectiveOperationException => stays(unknown)
      case NonFatal(error) => failed(error)
    }
  }
}

private class IcebergFiles(scan: Scan) {
  import IcebergFiles.{Ordered, Package}

  // none where the table has no version yet
  private def planning: Option[AnyRef] = Option(method(scan, "scan").invoke(scan))

  def isOrdered(column: String): Boolean = planning.filterNot(_ => isOfMetadata).exists { planning =>
    val field = fieldOf(schemaOf(planning), column)
    val dataType = field.getClass.getMethod("type").invoke(field)
    Ordered(dataType.getClass.getMethod("typeId").invoke(dataType).toString) &&
    field.getClass.getMethod("initialDefault").invoke(field) == null &&
    isFoundByName(planning, column)
  }

  /** True where Iceberg finds `column` by its name in files, too. It looks in the schema of their partitioning, which
    * may be that of another version than the scan's, in which another column has the name.
    */
  private def isFoundByName(planning: AnyRef, column: String): Boolean = {
    val number = idOf(fieldOf(schemaOf(planning), column))
    partitionings(unwrapped(planning)).forall { spec =>
      Option(fieldOf(spec.getClass.getMethod("schema").invoke(spec), column)).exists(idOf(_) == number)
    }
  }

  // Some steps of planning take those of the table, and others those of the scan, if the release has scans with their
  // own.
  private def partitionings(planning: AnyRef): Seq[AnyRef] = {
    val ofTable = classNamed("Table").getMethod("specs").invoke(method(scan, "table").invoke(scan))
    val ofScan = find(planning, "specs").map(_.invoke(planning))
    (ofTable +: ofScan.toSeq).flatMap { specs =>
      specs.asInstanceOf[JavaMap[_, _]].values.asInstanceOf[java.lang.Iterable[AnyRef]].asScala.toVector
    }
  }

  /** The scan of the table that a scan of batches stands for. */
  private def unwrapped(planning: AnyRef): AnyRef =
    classesOf(planning, _.getDeclaredFields).find(_.getName == "scan").fold(planning) { wrapped =>
      wrapped.setAccessible(true)
      wrapped.get(planning)
    }

  private def schemaOf(planning: AnyRef): AnyRef = classNamed("Scan").getMethod("schema").invoke(planning)
  private def fieldOf(schema: AnyRef, column: String): AnyRef =
    schema.getClass.getMethod("findField", classOf[String]).invoke(schema, column)
  private def idOf(field: AnyRef): Any = field.getClass.getMethod("fieldId").invoke(field)

  // the table of a table's files, and others like it
  private def isOfMetadata: Boolean =
    classNamed("BaseMetadataTable").isInstance(method(scan, "table").invoke(scan))

  // those that the scan has now
  private lazy val tasks = method(scan, "tasks").invoke(scan).asInstanceOf[JavaList[AnyRef]].asScala

  /** A reason why the scan stays as it was, if it does. */
  def narrow(predicates: Seq[Predicate]): Option[String] = {
    val conditions = predicates.flatMap(condition)
    // which plans them where nothing has yet
    val read = tasks.map(location(_)).toSet
    (planning, lastReport) match {
      case (None, _) => Some("its table has no rows")
      case _ if conditions.isEmpty => Some("Iceberg has no such condition")
      case (_, None) => Some("it does not say which version of its table it reads")
      case _ if read.size < tasks.size => Some("it reads a file several times")
      case (Some(planning), Some(first)) =>
        val planned = files(conditions.foldLeft(planning)(narrowed))
        val columns = predicates.flatMap(_.references.toSeq).flatMap(_.fieldNames.toSeq)
        // a version that is gone by now is planned as an empty table, of which there is no report
        val second = lastReport.filter(_ ne first)
        if (!second.exists(version(_) == version(first))) Some("its table has another version by now")
        else if (!columns.forall(isFoundByName(planning, _))) Some("its columns have other names by now")
        else {
          val kept = planned.filter(task => read(location(task))).asJava
          method(scan, "resetTasks", classOf[JavaList[_]]).invoke(scan, kept)
          None
        }
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

  /** What Iceberg reported when it last planned files of this scan. */
  private def lastReport: Option[AnyRef] = {
    val report = classesOf(scan, _.getDeclaredFields).find(_.getName == "scanReportSupplier")
      .getOrElse(throw new NoSuchFieldException("scanReportSupplier"))
    report.setAccessible(true)
    Option(report.get(scan).asInstanceOf[Supplier[AnyRef]]).flatMap(each => Option(each.get))
  }

  /** The version that files were planned of: a scan may name none, and plan those of the newest. */
  private def version(report: AnyRef): Any =
    classNamed("metrics.ScanReport").getMethod("snapshotId").invoke(report)

  /** The path of a task's file. Its methods are found once, as a table may have very many files. */
  private lazy val location: AnyRef => String = {
    val fileOf = classNamed("ContentScanTask").getMethod("file")
    val pathOf = classNamed("ContentFile").getMethod("location")
    task => pathOf.invoke(fileOf.invoke(task)).toString
  }

  private def classNamed(name: String): Class[_] =
    Class.forName(s"$Package.$name", false, scan.getClass.getClassLoader)

  /** A method that a class has for its own use. */
  private def method(of: AnyRef, name: String, parameters: Class[_]*): Method =
    find(of, name, parameters: _*)
      .getOrElse(throw new NoSuchMethodException(s"${of.getClass.getName}.$name"))

  private def find(of: AnyRef, name: String, parameters: Class[_]*): Option[Method] = {
    val found = classesOf(of, _.getDeclaredMethods)
      .find(each => each.getName == name && each.getParameterTypes.toSeq == parameters)
    found.foreach(_.setAccessible(true))
    found
  }

  private def classesOf[T](of: AnyRef, members: Class[_] => Array[T]): Iterator[T] =
    Iterator.iterate[Class[_]](of.getClass)(_.getSuperclass).takeWhile(_ != null).flatMap(members(_))
}
