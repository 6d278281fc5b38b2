package io.adaptivespark.join

import scala.concurrent.Await
import scala.concurrent.duration.Duration

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Attribute, BindReferences, Expression}
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.adaptive.ShuffleQueryStageExec
import org.apache.spark.sql.execution.adaptivespark.BuildSide
import org.apache.spark.sql.execution.exchange.{ReusedExchangeExec, ShuffleExchangeExec}
import org.slf4j.LoggerFactory

/** What a build side holds in one key column, with the type that tells how to read it. */
sealed private[join] trait ColumnKeys {
  val keyType: KeyType
  def summary: KeySummary[keyType.Key]

  def kind: String = if (summary.isEmpty) "empty" else if (summary.values.isDefined) "values" else "ranges"

  /** The number of distinct keys; of rows, where they were too many to tell. */
  def distinct: Long = summary.values.fold(summary.rows)(_.size.toLong)
}

private[join] object ColumnKeys {
  def apply(of: KeyType)(keys: KeySummary[of.Key]): ColumnKeys = new ColumnKeys {
    override val keyType: of.type = of
    override def summary: KeySummary[of.Key] = keys
  }
}

/** Reads keys on the driver, from where the joins have them: a broadcast relation, or a finished shuffle. */
private[join] object ReadKeys {
  private val log = LoggerFactory.getLogger(getClass)

  /** By source, the keys; none where they can't be had, so that the query goes on unfiltered. */
  def apply(
      builds: Seq[SparkPlan],
      buildKeys: Seq[Seq[Expression]],
      sources: Seq[KeySource],
      forRows: Boolean,
      settings: DynamicFilterSettings
  ): Seq[Option[ColumnKeys]] = {
    val read = sources.groupMap(_.build)(_.key).map { case (build, wanted) =>
      val keys = wanted.distinct
      build -> keys.zip(ofBuild(builds(build), buildKeys(build), keys, forRows, settings)).toMap
    }
    sources.map(source => read(source.build)(source.key))
  }

  private def ofBuild(
      build: SparkPlan,
      joinKeys: Seq[Expression],
      wanted: Seq[Int],
      forRows: Boolean,
      settings: DynamicFilterSettings
  ): Seq[Option[ColumnKeys]] = build match {
    case ReusedExchangeExec(_, exchange) => ofBuild(exchange, joinKeys, wanted, forRows, settings)
    case stage: ShuffleQueryStageExec =>
      shuffled(stage.shuffle.asInstanceOf[ShuffleExchangeExec], stage.output, joinKeys, wanted, forRows, settings)
    case exchange: ShuffleExchangeExec => shuffled(exchange, exchange.output, joinKeys, wanted, forRows, settings)
    case broadcast =>
      val relation = BuildSide.relation(broadcast)
      if (BuildSide.bytes(relation) > settings.maxBuildBytes) wanted.map(_ => None)
      else {
        val readers = wanted.map(i => BuildSide.key(relation, joinKeys, i))
        collect(BuildSide.keys(relation), readers)
      }
  }

  private def collect(rows: Iterator[InternalRow], keys: Seq[Expression]): Seq[Option[ColumnKeys]] =
    merge(keys, KeyLimits(), Seq(summaries(rows, keys, KeyLimits())))

  /** In a task: what its rows hold. */
  private def summaries(rows: Iterator[InternalRow], keys: Seq[Expression], limits: KeyLimits): Seq[KeySummary[_]] = {
    val collecting = keys.map { key =>
      val keyType = KeyType.of(key.dataType).get
      val collector = keyType.collector(limits)
      (collector, keyType.adding(key, collector))
    }
    val adders = collecting.map(_._2).toArray
    rows.foreach(row => adders.foreach(_(row)))
    collecting.map(_._1.summary)
  }

  private def merge(
      keys: Seq[Expression],
      limits: KeyLimits,
      ofTasks: Seq[Seq[KeySummary[_]]]
  ): Seq[Option[ColumnKeys]] =
    keys.indices.map { i =>
      val keyType = KeyType.of(keys(i).dataType).get
      val summary =
        if (ofTasks.size == 1) ofTasks.head(i).asInstanceOf[KeySummary[keyType.Key]]
        else {
          val total = keyType.collector(limits)
          ofTasks.foreach(ofTask => total.add(ofTask(i).asInstanceOf[KeySummary[keyType.Key]]))
          total.summary
        }
      Some(ColumnKeys(keyType)(summary))
    }

  private def shuffled(
      exchange: ShuffleExchangeExec,
      output: Seq[Attribute],
      joinKeys: Seq[Expression],
      wanted: Seq[Int],
      forRows: Boolean,
      settings: DynamicFilterSettings
  ): Seq[Option[ColumnKeys]] = {
    val sizes = BuildSide.sizes(Await.result(exchange.submitShuffleJob(), Duration.Inf))
    val keys = wanted.map(i => BindReferences.bindReference(joinKeys(i), output))
    if (sizes.sum > settings.maxBuildBytes) {
      log.info(s"Unfiltered: the build side of a join has ${sizes.sum} bytes, more than ${settings.maxBuildBytes}.")
      wanted.map(_ => None)
    } else {
      val limits = KeyLimits.of(if (forRows) BuildSide.rowCount(exchange) else None)
      val rows = BuildSide.rows(exchange, BuildSide.tasks(sizes))
      merge(keys, limits, rows.mapPartitions(rows => Iterator.single(summaries(rows, keys, limits))).collect().toSeq)
    }
  }
}
