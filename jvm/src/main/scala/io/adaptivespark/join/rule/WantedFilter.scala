package io.adaptivespark.join.rule

import org.apache.spark.sql.catalyst.plans.physical.RoundRobinPartitioning
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.exchange.ShuffleExchangeExec
import org.apache.spark.sql.execution.joins.{BaseJoinExec, BroadcastHashJoinExec}

import io.adaptivespark.filter.plan.CanonicalForm
import io.adaptivespark.join.build.{BuildFingerprint, BuildSide, BuildWork, ReducedKeys}
import io.adaptivespark.join.scan.ProbeColumn
import io.adaptivespark.scan.ScanName

/** A filter that a join could use: `column` by the `key`-th key of `source`.
  *
  * @param isWithin
  *   true where `source` lies within the join's other side and is not all of it
  */
final private[adaptivespark] case class WantedFilter(
    column: ProbeColumn,
    keys: JoinKeyPair,
    source: BuildSide,
    key: Int,
    isWithin: Boolean = false
) {

  /** True where a row costs more on its way to the join than its test by a bitmap or a set. */
  def testsRows: Boolean = column.between.exists(isCostly)

  /** True where a row costs more on its way than its test by a bloom filter, which takes
    * longer than a look into a broadcast.
    */
  def testsByBloom: Boolean =
    column.between.exists(node => isCostly(node) && !node.isInstanceOf[BroadcastHashJoinExec])

  /** True where rows on their way are dealt out or numbered by their place among the others. Spark takes it that a part
    * that is computed once more has the same rows.
    */
  def countsRows: Boolean = column.between.exists {
    case shuffle: ShuffleExchangeExec => shuffle.outputPartitioning.isInstanceOf[RoundRobinPartitioning]
    case operator => operator.expressions.exists(!_.deterministic)
  }

  private def isCostly(node: SparkPlan) =
    node.isInstanceOf[ShuffleExchangeExec] || node.isInstanceOf[BaseJoinExec]

  /** True where the scan would otherwise run while the build side does. */
  def waits: Boolean = !source.isFinished &&
    !(source.isBroadcast && !column.between.exists(_.isInstanceOf[ShuffleExchangeExec]))

  /** The sizes by which the filter is worth its cost, or not. */
  lazy val facts: DynamicFilterCost.Facts = new DynamicFilterCost.Facts(
    column,
    testsRows,
    if (source.isFinished) 0 else BuildWork(source),
    waits,
    ReducedKeys(source, key, column)
  )

  def scan: String = ScanName(column.scan)

  /** The scan and the keys, without the tables' aliases, catalogs and schemas, and without constants. */
  lazy val name: String =
    s"${column.kind.relativeName}: ${CanonicalForm.relative(keys.probe)} in keys of ${CanonicalForm.relative(keys.build)}"
  lazy val fingerprint: String = BuildFingerprint(source, name)
}
