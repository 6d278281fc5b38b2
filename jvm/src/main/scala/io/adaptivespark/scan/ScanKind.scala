package io.adaptivespark.scan

import scala.concurrent.Future

import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression, Literal, Or}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.{FileSourceScanExec, LocalTableScanExec, RangeExec, SparkPlan}
import org.apache.spark.sql.execution.adaptive.TableCacheQueryStageExec
import org.apache.spark.sql.execution.columnar.InMemoryTableScanExec
import org.apache.spark.sql.execution.datasources.v2.BatchScanExec

/** A scan by its kind, which answers all that differs between the operators that Spark reads tables with.
  *
  * A kind is one file. An answer that it does not give is that of an operator of which nothing is known: it is given
  * no keys, and its rows are taken to be many.
  */
private[adaptivespark] trait ScanKind {
  def scan: SparkPlan

  // What it reads.

  /** The table or directory as a user knows it; none where the rows are of no table. */
  def table: Option[String] = None

  /** Name without catalog, schema and parent folders, which differ between targets. */
  def relativeName: String = ScanName.last(table.getOrElse(scan.nodeName))

  /** The bytes that it would read if nothing were skipped, by the size of files or of the source. */
  def bytes: Long = ScanKind.MostBytes.toLong

  /** The most of these bytes that keys of `column` may save. */
  def bytesSavedBy(column: Attribute): Long = bytes

  /** The number of rows that it would give if nothing were skipped.
    *
    * Fails where only one more look at the source could tell. Files are opened in another thread, beside the query.
    */
  def rows: Future[Long] = Future.failed(ScanKind.unknownRows)

  /** The number of files that the query's own conditions leave.
    *
    * None where only one more look at the source could tell.
    */
  def files: Option[Long] = None

  /** The number of files that it reads, once it runs. */
  def filesRead: Option[() => Long] = None

  /** True where each task gets batches that are made for it, and that stay until its end unless they are closed. */
  def keepsBatches: Boolean = false

  // How its rows compare with those of its table, and with those of other scans.

  /** True of a plain read of a table, to which a join key may be followed. */
  def isPlain: Boolean = false

  /** True where it holds fewer rows than its table, by conditions of the query or because a query has made them. */
  def isReduced: Boolean = false

  /** The plan that has made its rows, where they are kept in memory. */
  def madeBy: Option[SparkPlan] = None

  /** True where its rows are to be kept in memory and are not there yet: each occurrence would compute them. */
  def isCaching: Boolean = false

  /** Its own node of the logical plan, where it becomes a stage of adaptive execution.
    *
    * Once that is finished, all operators with its logical link go in the link's place. With the link of a condition
    * that was planned with it, exchanges of a filter above it, which are not finished, would be taken for parts of it.
    */
  def logicalNode: Option[LogicalPlan] = None

  /** True where Spark knows a second occurrence of it as equal, and computes both once. */
  def isReused: Boolean = true

  /** True where `other` gets the predicates that this one is given, though it is another node. */
  def sharesPredicates(other: SparkPlan): Boolean = false

  /** True where a plan gets the predicates too that this one is given, as it reads the same source. */
  def sharesPredicates(other: LogicalPlan): Boolean = false

  /** True where a `MERGE`, or another change of rows, reads its target and needs only rows with a match. */
  def isMergeTarget: Boolean = false

  /** True where it reads the target of such a change, or its files, for the rows with a match. */
  def needsMatches: Boolean = isMergeTarget

  /** True where its source takes predicates for good, for all that read it. */
  def keepsPredicates: Boolean = false

  /** True where other plans read its source too, each after the last one. */
  def isLooped: Boolean = false

  // How it is narrowed.

  /** The form of condition on `column` by which it skips data; none where it can't. */
  def skipping(column: Attribute): Option[Skipping] = None

  /** Conditions that Spark gives it by itself, dynamic partition pruning among them. */
  def givenBySpark: Seq[Expression] = Nil

  /** A test of literals for `column`: true where its reader compares with that very value, in Spark's order. */
  def isTold(column: Attribute): Literal => Boolean = _ => true

  /** The number of ranges of `column` that are worth giving: about as many as it may have pages or files to skip, since
    * each is compared with each page.
    *
    * @param few
    *   a number that is always worth giving
    * @param most
    *   the most that it may be
    */
  def ranges(column: Attribute, few: Int, most: Int): Int = most

  /** The number of ranges of all columns together that it may be given. */
  def rangesInAll: Int = Int.MaxValue

  /** True where its source chooses files once more by what it is given, which costs a look at all that it knows of
    * them, though nothing waits for the keys.
    */
  def choosesFilesAnew: Boolean = false

  /** True where its row groups can be counted. */
  def countsRowGroups: Boolean = false

  /** This scan with further conditions, counting into its own metrics; `scan` itself where it takes none.
    *
    * @param predicates
    *   at least one, each as conditions on one column, of which one is true of each row that is needed
    * @param counts
    *   metrics of row groups, where these are counted
    */
  def narrowed(predicates: Seq[Seq[Expression]], counts: Option[RowGroupCounts]): SparkPlan = scan
}

private[adaptivespark] object ScanKind {

  /** The kind of any operator: a case for each kind, the more special first. */
  def of(plan: SparkPlan): ScanKind = plan match {
    case files: FileSourceScanExec => new FileScan(files)
    case cached: InMemoryTableScanExec => new CachedScan(cached)
    case stage: TableCacheQueryStageExec => of(stage.plan)
    case source: BatchScanExec if IcebergFiles.areRead(source.scan) => new IcebergScan(source)
    case source: BatchScanExec => new V2Scan(source)
    case _: LocalTableScanExec | _: RangeExec => new OwnRows(plan)
    case CheckpointedRows(kept) => kept
    case _ => new OtherScan(plan)
  }

  /** The size of a source that does not tell. The largest long would overflow in a sum. */
  private[scan] val MostBytes = BigInt(Long.MaxValue >> 16)
  private[scan] def atMost(bytes: BigInt): Long = bytes.min(MostBytes).toLong

  private[scan] def unknownRows =
    new UnsupportedOperationException("The scan does not say how many rows it has.")

  /** The OR of `conditions` as a balanced tree: a chain would be as deep as they are many. */
  private[scan] def anyOf(conditions: Seq[Expression]): Expression =
    if (conditions.size == 1) conditions.head
    else {
      val (left, right) = conditions.splitAt(conditions.size / 2)
      Or(anyOf(left), anyOf(right))
    }
}
