package io.adaptivespark.join.exec

import scala.concurrent.Future
import scala.reflect.ClassTag

import org.apache.spark.TaskContext
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression, SortOrder}
import org.apache.spark.sql.catalyst.plans.physical.Partitioning
import org.apache.spark.sql.execution.{SparkPlan, SQLExecution}
import org.apache.spark.sql.execution.adaptivespark.MapPartitions
import org.apache.spark.sql.execution.metric.{SQLMetric, SQLMetrics}
import org.apache.spark.sql.vectorized.ColumnarBatch

import io.adaptivespark.conf.DynamicFilterSettings
import io.adaptivespark.history.{DriverMemory, DynamicFilterHistory, Verdict}
import io.adaptivespark.history.DynamicFilterHistory.{Found, Scanned}
import io.adaptivespark.history.label.{QueryId, QueryLabels}
import io.adaptivespark.history.memory.PruningMemory
import io.adaptivespark.history.text.{RedactedText, WrittenSql}
import io.adaptivespark.join.exec.DynamicFilterExec.{counting, ScanCounts}
import io.adaptivespark.join.keys.testing.{ColumnKeys, PartitionCounts, RuntimeKeyFilter}
import io.adaptivespark.join.scan.{PrunedScan, PruneScan}
import io.adaptivespark.scan.{RowGroupCounts, ScanKind, ScanLike, ScanName}
import io.adaptivespark.shim.{NodeNumber, ShownAs, SortMergeSafe}

/** A scan that reads only what the keys of joins above it allow, as far as its format can skip the rest.
  *
  * `builds` are the exchanges from which the joins read, the same nodes, so that Spark's own reuse of exchanges makes
  * each pair one, and so that adaptive execution finishes them before it starts the stage of this scan. Their keys are
  * read when this is executed. All parts are fields, because the canonical form must tell a filtered scan from another.
  *
  * Where a join reads an aggregate of an exchange, a build begins with the aggregate, which is not run here: adaptive
  * execution takes the first operator of a plan that has the logical link of a finished stage for all that stands for
  * that link, and an aggregate and its exchange have the same.
  *
  * @param probeKeys
  *   by filter: the values that a join compares, over the scan's output
  * @param sources
  *   by filter: the build keys that it takes
  * @param buildKeys
  *   by build: all keys of its join, over the output of the build's exchange
  * @param rowKeys
  *   by filter: the keys that a filter operator above this tests rows by, if one does; filled
  *   in when the build side is read
  * @param started
  *   false until Spark has put its steps between batches and rows; then `child` is the scan itself, and
  *   batches come out if it has them
  */
case class DynamicFilterExec(
    child: SparkPlan,
    probeKeys: Seq[Expression],
    sources: Seq[KeySource],
    buildKeys: Seq[Seq[Expression]],
    builds: Seq[SparkPlan],
    rowKeys: Seq[Option[RuntimeKeyFilter]],
    settings: DynamicFilterSettings,
    started: Boolean
) extends ScanLike with ShownAs with SortMergeSafe {

  override def nodeName: String = "DynamicFilter"
  override def children: Seq[SparkPlan] = child +: builds
  override def output: Seq[Attribute] = child.output
  override def outputPartitioning: Partitioning = child.outputPartitioning
  override def outputOrdering: Seq[SortOrder] = child.outputOrdering
  override def supportsColumnar: Boolean = started && child.supportsColumnar
  override def supportsRowBased: Boolean = child.supportsRowBased
  override def vectorTypes: Option[Seq[String]] = child.vectorTypes

  override lazy val metrics: Map[String, SQLMetric] = Map(
    "numKeys" -> SQLMetrics.createMetric(sparkContext, "number of keys"),
    "numRanges" -> SQLMetrics.createMetric(sparkContext, "number of ranges"),
    "keyTime" -> SQLMetrics.createTimingMetric(sparkContext, "time to wait for keys and to prune by them")
  ) ++ rowGroups.toSeq.flatMap(counts =>
    Seq("numRowGroups" -> counts.all, "numRowGroupsRead" -> counts.read, "bytesRead" -> counts.bytesRead)
  )

  // Counting them costs one more look at each file.
  @transient private lazy val rowGroups =
    if (settings.verbose && ScanKind.of(child).countsRowGroups) Some(RowGroupCounts(
      SQLMetrics.createMetric(sparkContext, "number of row groups"),
      SQLMetrics.createMetric(sparkContext, "number of row groups read"),
      SQLMetrics.createSizeMetric(sparkContext, "size of row groups read")
    ))
    else None

  private def scanMetrics: Map[String, SQLMetric] = ScanKind.of(child).scan.metrics

  @transient private lazy val counts = ScanCounts(
    PartitionCounts(size = 4, sparkContext),
    scanMetrics.get("numOutputRows"),
    rowGroups
  )

  /** The scan with what the keys allow. */
  @transient private lazy val pruned: PrunedScan = {
    val start = System.nanoTime
    // some sources keep what they are told
    val kind = ScanKind.of(child)
    val (all, files) = (kind.rows, kind.files)
    val read = new ReadKeys(rowKeys.flatten.exists(_.byBloom), settings, QueryId.of(sparkContext))
    val keys = read(builds, buildKeys, sources)
    val scan = PruneScan(child, probeKeys, keys.map(_.toOption), settings.maxRanges, rowGroups)
    val tests = for ((waiting, found) <- rowKeys.zip(keys)) yield
      for {
        rows <- waiting
        filter <- found.toOption.flatMap(_.filter(sparkContext, rows.byBloom))
      } yield (filter.kind, rows.fill(filter, sparkContext))
    val scanned = countsOf(all, files, scan, tests.flatten.map(_._2.passing))
    record(keys, scan, tests.map(_.map(_._1)), scanned, (System.nanoTime - start) / 1000000)
    scan
  }

  private def record(
      keys: Seq[ReadKeys.Read],
      scan: PrunedScan,
      rowTests: Seq[Option[String]],
      scanned: Scanned,
      millis: Long
  ): Unit = {
    setMetrics(keys, scan, millis)
    val memory = DriverMemory.of(sparkContext)
    val labels = QueryLabels.of(sparkContext, settings.queryTag, settings.runId)
    for (((probe, source), i) <- probeKeys.zip(sources).zipWithIndex) {
      // the history must not hold on to the keys
      val isFiltered = keys(i).isRight
      memory.pruningMemory.learn(
        PruningMemory.Key(memory.learners(labels.user), source.signature, settings.queryTag),
        labels.queryId,
        () => if (isFiltered) scanned.kept else Some(1)
      )
      val (ranges, rowTest) = (scan.ranges(i), rowTests(i))
      memory.dynamicFilters.add(
        DynamicFilterHistory.Entry(
          labels,
          RedactedText(ScanName(child)),
          RedactedText(WrittenSql(probe, this)),
          RedactedText(WrittenSql(keysOf(source), this).mkString(" or ")),
          verdict(keys(i), ranges.isDefined || rowTest.isDefined, scan.isRefused(i)),
          Some(source.signature),
          keys(i).toOption.map(found(_, ranges, rowTest, millis)),
          Some(scanned)
        )
      )
    }
  }

  private def setMetrics(keys: Seq[ReadKeys.Read], scan: PrunedScan, millis: Long): Unit = {
    longMetric("numKeys").set(keys.flatMap(_.toOption).map(_.distinct).sum)
    longMetric("numRanges").set(scan.ranges.flatten.sum.toLong)
    longMetric("keyTime").set(millis)
    SQLMetrics.postDriverMetricUpdates(
      sparkContext,
      sparkContext.getLocalProperty(SQLExecution.EXECUTION_ID_KEY),
      Seq("numKeys", "numRanges", "keyTime").map(metrics)
    )
  }

  private def countsOf(
      all: Future[Long],
      files: Option[Long],
      scan: PrunedScan,
      passing: Seq[() => Double]
  ): Scanned = Scanned(
    counts.rows,
    all,
    () => passing.map(_()).product,
    scanMetrics.get("filesSize"),
    counts.bytesRead,
    files,
    files.flatMap(_ => scan.filesRead),
    counts.rowGroups,
    counts.rowGroupsRead
  )

  private def verdict(keys: ReadKeys.Read, isUsed: Boolean, isRefused: Boolean): Verdict = keys match {
    case Left(refusal) => refusal
    case Right(_) =>
      if (isUsed) Verdict.Filtered else if (isRefused) Verdict.SourceRefused else Verdict.ValuesDiffer
  }

  private def found(keys: ColumnKeys, ranges: Option[Int], rowTest: Option[String], millis: Long): Found =
    Found(
      keys.summary.rows,
      keys.summary.values.map(_.size.toLong),
      keys.kind,
      ranges.getOrElse(0),
      rowTest,
      millis
    )

  // Stages send the plan along, whole, wherever a node above is needed by the tasks; none needs what is here.
  private def writeReplace(): AnyRef = child

  override protected def doExecute(): RDD[InternalRow] = counting(pruned.execute(), counts)
  override protected def doExecuteColumnar(): RDD[ColumnarBatch] = counting(pruned.executeColumnar(), counts)

  override protected def stringArgs: Iterator[Any] =
    probeKeys.zip(sources).iterator.map { case (probe, source) =>
      s"$probe in keys of ${keysOf(source).mkString(" or ")}"
    }

  private def keysOf(source: KeySource): Seq[Expression] = source.from.map(at => buildKeys(at.build)(at.key))

  // The builds are shown where joins read them; without them their keys are no input that is missing.
  override protected def statePrefix: String = ""

  override protected def shownAs: Option[SparkPlan] = if (builds.nonEmpty) Some {
    val shown = copy(builds = Nil)
    NodeNumber.give(this, shown)
    shown
  }
  else None

  override protected def withNewChildrenInternal(newChildren: IndexedSeq[SparkPlan]): SparkPlan =
    copy(child = newChildren.head, builds = newChildren.tail)
}

object DynamicFilterExec {

  /** The counts of a scan, partition by partition.
    *
    * Its SQL metrics, which Spark adds up, count the rows of a task that runs again twice.
    */
  final private case class ScanCounts(
      counts: PartitionCounts,
      rowsRead: Option[SQLMetric],
      groups: Option[RowGroupCounts]
  ) {
    def rows: Option[() => Long] = rowsRead.map(_ => sum(0))
    def rowGroups: Option[() => Long] = groups.map(_ => sum(1))
    def rowGroupsRead: Option[() => Long] = groups.map(_ => sum(2))
    def bytesRead: Option[() => Long] = groups.map(_ => sum(3))

    // the history must not hold on to the counts of partitions
    private def sum(at: Int): () => Long = {
      val sums = counts.sums
      () => sums.all(at)
    }

    /** Adds what the metrics of a task have counted. */
    def add(partition: Int): Unit = {
      val metrics = Seq(rowsRead, groups.map(_.all), groups.map(_.read), groups.map(_.bytesRead))
      counts.add((partition, metrics.map(_.fold(0L)(_.value)).toVector))
    }
  }

  private def counting[T: ClassTag](rows: RDD[T], counts: ScanCounts): RDD[T] =
    MapPartitions(rows) { ofPartition =>
      Option(TaskContext.get()).foreach(
        _.addTaskCompletionListener[Unit](task => counts.add(task.partitionId()))
      )
      ofPartition
    }
}
