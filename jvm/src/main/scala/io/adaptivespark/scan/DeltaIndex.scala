package io.adaptivespark.scan

import java.lang.reflect.InvocationTargetException

import scala.concurrent.{blocking, ExecutionContext, Future}
import scala.util.Try
import scala.util.control.NonFatal

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.execution.FileSourceScanExec
import org.apache.spark.sql.execution.datasources.FileIndex
import org.slf4j.LoggerFactory

/** Delta Lake's indexes of files. By name, since Delta Lake need not be there. */
private[adaptivespark] object DeltaIndex {
  private val Package = "org.apache.spark.sql.delta"
  private val Chosen = s"$Package.files.TahoeBatchFileIndex"
  private val Prepared = s"$Package.stats.PreparedDeltaFileIndex"

  // What a MERGE calls the index that it looks for matches in, and writes by. Its files are of the version that the
  // index names; a stream's, which are not, are of another name.
  private val OfMerge = "batch"

  /** Files of which it is worth to ask the log, which costs a query. With 400 files of 10,000 rows on a local disk a
    * MERGE took 4.4 s with this query and 4.9 s without, of which Delta Lake's own queries of the log took most.
    */
  val ManyFiles = 200

  private val log = LoggerFactory.getLogger(getClass)

  /** True of files that a command has chosen from its target. */
  def isOfTarget(files: FileIndex): Boolean = files.getClass.getName == Chosen

  /** The number of files that an index has at hand, as a query's own conditions or a command of Delta Lake's chose
    * them; none of another index. Their paths, which an index can tell too, would have to be made first.
    */
  def count(files: FileIndex): Option[Long] = files.getClass.getName match {
    case Chosen => Try(filesOf(files).size.toLong).toOption
    case Prepared => Try(sequence(member(member(files, "preparedScan"), "files")).size.toLong).toOption
    case _ => None
  }

  /** The number of rows in these files, where the log has it. Rows that are deleted count too. */
  def rows(files: FileIndex): Option[Future[Long]] = files.getClass.getName match {
    case Prepared =>
      val scanned = Try(member(member(member(files, "preparedScan"), "scanned"), "rows"))
      scanned.toOption.collect { case Some(rows: Long) => Future.successful(rows) }
    case Chosen => Some(Future(blocking(filesOf(files).map(rowsOf).sum))(ExecutionContext.global))
    case _ => None
  }

  private def rowsOf(file: AnyRef): Long = member(file, "numPhysicalRecords") match {
    case Some(rows: Long) => rows
    case _ => throw ScanKind.unknownRows
  }

  /** True of each of Delta Lake's indexes, which chooses files anew for other conditions. */
  def isOne(files: FileIndex): Boolean = Set(Chosen, Prepared)(files.getClass.getName)

  /** A target's files without those of which the log tells that no row meets `conditions`; `files` as it is where these
    * are few, or of another index, which asks the log by itself, or where the log cannot be asked.
    *
    * @param ofPartitions
    *   conditions on partitions, which all files meet: the log of a large table is asked about these partitions alone
    */
  def narrowed(files: FileIndex, conditions: Seq[Expression], ofPartitions: Seq[Expression]): FileIndex =
    try
      if (!isOfTarget(files) || conditions.isEmpty || member(files, "actionType") != OfMerge) files
      else {
        val chosen = filesOf(files)
        if (chosen.size < ManyFiles) files
        else withFiles(files, chosen.filter(isMet(files, ofPartitions ++ conditions)))
      }
    catch {
      case failed: InvocationTargetException => failed.getCause match {
          case error if NonFatal(error) && !Cancellation.causes(error) => asItIs(files, error)
          case other => throw other
        }
      case unknown @ (_: ReflectiveOperationException | _: IllegalArgumentException | _: ClassCastException) =>
        asItIs(files, unknown)
    }

  /** `filtered` with its files chosen; `scan`, whose files are known, where the log cannot be asked: it may be without
    * the version that the query reads by now.
    */
  def chosen(filtered: FileSourceScanExec, scan: FileSourceScanExec): FileSourceScanExec =
    try {
      // the one call that waits for the scan's subqueries, too
      if (filtered.supportsColumnar) filtered.executeColumnar() else filtered.execute()
      filtered
    } catch {
      case error if NonFatal(error) && !Cancellation.causes(error) =>
        asItIs(scan.relation.location, error)
        scan
    }

  private def asItIs(files: FileIndex, why: Throwable): FileIndex = {
    log.warn(s"The keys of a join leave out no file of ${files.rootPaths.mkString}: $why")
    files
  }

  /** A test of files: true where the log of the version that the index names has rows that may meet all conditions. */
  private def isMet(files: FileIndex, conditions: Seq[Expression]): AnyRef => Boolean = {
    val snapshot = member(files, "snapshot")
    val filesForScan = snapshot.getClass.getMethods
      .find(each =>
        each.getName == "filesForScan" && each.getParameterTypes.toSeq.lastOption.contains(classOf[Boolean])
      )
      .getOrElse(throw new NoSuchMethodException(s"${snapshot.getClass.getName}.filesForScan"))
    val kept = sequence(member(filesForScan.invoke(snapshot, conditions, Boolean.box(false)), "files"))
      .map(member(_, "path")).toSet
    file => kept(member(file, "path"))
  }

  private def withFiles(files: FileIndex, chosen: collection.Seq[AnyRef]): FileIndex = {
    val arguments =
      Seq("spark", "actionType", "addFiles", "deltaLog", "path", "snapshot", "partitionFiltersGenerated")
        .map(name => if (name == "addFiles") chosen.toList else member(files, name))
    val make = files.getClass.getConstructors.find(_.getParameterCount == arguments.size)
      .getOrElse(throw new NoSuchMethodException(s"the constructor of $Chosen"))
    make.newInstance(arguments: _*).asInstanceOf[FileIndex]
  }

  private def filesOf(files: FileIndex) = sequence(member(files, "addFiles"))
  private def sequence(value: AnyRef) = value.asInstanceOf[collection.Seq[AnyRef]]
  private def member(of: AnyRef, name: String): AnyRef = of.getClass.getMethod(name).invoke(of)
}
