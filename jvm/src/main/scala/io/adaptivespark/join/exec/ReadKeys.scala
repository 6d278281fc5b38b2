package io.adaptivespark.join.exec

import scala.annotation.tailrec
import scala.concurrent.Await
import scala.concurrent.duration.Duration
import scala.util.control.NonFatal

import com.google.common.collect.MapMaker
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{
  AttributeReference,
  BindReferences,
  Expression,
  PlanExpression
}
import org.apache.spark.sql.execution.{LeafExecNode, SparkPlan}
import org.apache.spark.sql.execution.adaptive.ShuffleQueryStageExec
import org.apache.spark.sql.execution.adaptivespark.{ExchangeRows, MapPartitions}
import org.apache.spark.sql.execution.exchange.{Exchange, ReusedExchangeExec, ShuffleExchangeExec}
import org.apache.spark.sql.types.DataType
import org.slf4j.LoggerFactory

import io.adaptivespark.conf.DynamicFilterSettings
import io.adaptivespark.history.Verdict
import io.adaptivespark.history.text.RedactedText
import io.adaptivespark.join.keys.{KeyLimits, KeySummary}
import io.adaptivespark.join.keys.collecting.RowKeyCollector
import io.adaptivespark.join.keys.testing.{ColumnKeys, JavaBytes}
import io.adaptivespark.scan.Cancellation
import io.adaptivespark.shim.ShuffleJobShim

/** Reads keys on the driver, from where the joins have them: a broadcast relation, or a finished shuffle,
  * whose tasks told few keys already.
  *
  * @param byBloom
  *   true where rows will be tested by a bloom filter if the keys are too many for a set
  * @param query
  *   Spark's id of the query, if it has one
  */
final private[adaptivespark] class ReadKeys(
    byBloom: Boolean,
    settings: DynamicFilterSettings,
    query: Option[Long]
) {
  import ReadKeys.{exchange, keysOf, log, Read}

  // a query without an id is none but itself
  private val reader: Any = query.getOrElse(new Object)

  /** The keys by source, or the reason why they can't be had. The query then goes on unfiltered. */
  def apply(builds: Seq[SparkPlan], buildKeys: Seq[Seq[Expression]], sources: Seq[KeySource]): Seq[Read] = {
    val exchanges = builds.map(exchange)
    // Without adaptive execution nothing has run yet: the shuffles run at the same time.
    exchanges.foreach {
      case Shuffle(shuffle) => ShuffleJobShim.submit(shuffle)
      case _ =>
    }
    val read = sources.flatMap(_.from).distinct.groupBy(_.build).map { case (build, wanted) =>
      val keys = wanted.map(_.key)
      build -> keys.zip(unlessFailing(keys.size)(of(exchanges(build), buildKeys(build), keys))).toMap
    }
    sources.map(_.from.map(at => read(at.build)(at.key)).reduce[Read] {
      case (Right(some), Right(others)) => Right(some.or(others))
      case (why, Right(_)) => why
      case (_, why) => why
    })
  }

  private def of(build: SparkPlan, joinKeys: Seq[Expression], wanted: Seq[Int]): Seq[Read] = {
    def bound = wanted.map(i => BindReferences.bindReference(joinKeys(i), build.output))
    build match {
      case Shuffle(shuffle) => ofShuffle(shuffle, bound)
      case broadcast =>
        val relation = ExchangeRows.relation(broadcast)
        val joined = joinKeys.map(BindReferences.bindReference(_, build.output))
        unlessLarge(relation.bytes, wanted.size) {
          val limits = limitsFor(relation.rows)
          keysOf(relation.broadcast).of(wanted.map((joined, _, limits)), reader) { missing =>
            val keys = missing.map { case (_, i, _) => relation.key(joined, i) }
            ReadKeys.typed(keys, ReadKeys.summaries(relation.keys, keys, limits))
          }.map(Right(_))
        }
    }
  }

  private def limitsFor(rows: => Option[Long]): KeyLimits = KeyLimits.of(if (byBloom) rows else None)

  private object Shuffle {
    def unapply(build: SparkPlan): Option[ShuffleExchangeExec] = build match {
      case ReusedExchangeExec(_, shuffle: ShuffleExchangeExec) => Some(shuffle)
      case stage: ShuffleQueryStageExec => Some(stage.shuffle.asInstanceOf[ShuffleExchangeExec])
      case shuffle: ShuffleExchangeExec => Some(shuffle)
      case _ => None
    }
  }

  private def ofShuffle(shuffle: ShuffleExchangeExec, keys: Seq[Expression]): Seq[Read] = {
    // Adaptive execution has finished it before.
    val sizes = ExchangeRows.sizes(Await.result(ShuffleJobShim.submit(shuffle), Duration.Inf))
    unlessLarge(sizes.sum, keys.size) {
      val limits = limitsFor(ExchangeRows.rowCount(shuffle))
      def read(keys: Seq[Expression]) =
        if (sizes.sum == 0) ReadKeys.summaries(Iterator.empty, keys, limits)
        else ReadKeys.merged(
          MapPartitions(ExchangeRows.rows(shuffle, ExchangeRows.tasks(sizes)))(rows =>
            Iterator.single(JavaBytes.of(ReadKeys.summaries(rows, keys, limits)))
          ),
          keys.map(_.dataType),
          limits
        )
      val named = keys.map(ReadKeys.withoutPlans)
      val byName = named.zip(keys).toMap
      keysOf(shuffle).of(named.map(_ -> limits), reader) { missing =>
        val keys = missing.map { case (name, _) => byName(name) }
        ReadKeys.typed(keys, ReadKeys.collected(shuffle, keys).getOrElse(read(keys)))
      }.map(Right(_))
    }
  }

  private def unlessFailing(keys: Int)(read: => Seq[Read]): Seq[Read] =
    try read
    catch {
      case NonFatal(error) if !Cancellation.causes(error) =>
        log.warn("The keys of a join's build side could not be read; its scan runs unfiltered.", error)
        Seq.fill(keys)(Left(Verdict.KeysUnreadable(RedactedText(String.valueOf(error.getMessage)))))
    }

  private def unlessLarge(bytes: Long, keys: Int)(read: => Seq[Read]): Seq[Read] =
    if (bytes <= settings.maxBuildBytes) read
    else Seq.fill(keys)(Left(Verdict.BuildTooLarge(bytes, settings.maxBuildBytes)))
}

private[adaptivespark] object ReadKeys {
  type Read = Either[Verdict, ColumnKeys]
  private val log = LoggerFactory.getLogger(classOf[ReadKeys])

  // By the relation or shuffle itself, which ends with its query: nobody finds anything here who does not hold it.
  private val known = new MapMaker().weakKeys().makeMap[AnyRef, KeysOfBuild]()

  private def keysOf(build: AnyRef): KeysOfBuild = known.computeIfAbsent(build, _ => new KeysOfBuild)

  /** A key that tells `key` from others and holds no plan: that of a subquery leads to all that its query has, this
    * build side among it, which would never be let go. Spark broadcasts by no such key.
    */
  private def withoutPlans(key: Expression): Expression = key.transform { case subquery: PlanExpression[_] =>
    AttributeReference("subquery", subquery.dataType)(subquery.exprId)
  }

  /** The number of build sides whose keys are known. */
  private[exec] def builds: Int = known.keySet.toArray.length // without those that have been let go

  private def typed(keys: Seq[Expression], summaries: Seq[KeySummary[_]]): Seq[ColumnKeys] =
    keys.zip(summaries).map { case (key, summary) => new ColumnKeys(key.dataType, summary) }

  /** The exchange that a build ends in, or what stands for one: its stage, or a second occurrence. Adaptive execution
    * rebalances a stage that is asked to be wherever it stands.
    */
  @tailrec private def exchange(build: SparkPlan): SparkPlan = build match {
    case _: Exchange | _: LeafExecNode => build
    case operator => exchange(operator.children.head)
  }

  /** The keys that the tasks of `shuffle` sent on their way. */
  private def collected(shuffle: ShuffleExchangeExec, keys: Seq[Expression]): Option[Seq[KeySummary[_]]] =
    shuffle.child match {
      case collecting: CollectKeysExec => collecting.found(keys)
      case _ => None
    }

  /** The keys of `rows`, by key. */
  private def summaries(
      rows: Iterator[InternalRow],
      keys: Seq[Expression],
      limits: KeyLimits
  ): Seq[KeySummary[_]] = {
    val collector = new RowKeyCollector(keys, limits)
    rows.foreach(collector.add)
    collector.summaries
  }

  /** The keys of all parts of a build side, by key.
    *
    * Bloom filters are large, so that a task merges them and the driver gets one. There are few parts, and Spark's
    * `treeAggregate` would read the class files of what it is given, as [[MapPartitions]] says.
    */
  private def merged(
      parts: RDD[Array[Byte]],
      types: Seq[DataType],
      limits: KeyLimits
  ): Seq[KeySummary[_]] =
    if (limits.bloomItems.isEmpty) together(types, limits, parts.collect().toSeq)
    else {
      val merged = MapPartitions(parts.coalesce(1, shuffle = true))(all =>
        Iterator.single(all.reduce((some, others) =>
          JavaBytes.of(together(types, limits, Seq(some, others)))
        ))
      )
      JavaBytes.read[Seq[KeySummary[_]]](merged.collect().head)
    }

  private def together(types: Seq[DataType], limits: KeyLimits, parts: Seq[Array[Byte]]): Seq[KeySummary[_]] =
    RowKeyCollector.merged(types, limits, parts.map(JavaBytes.read[Seq[KeySummary[_]]](_)))
}
