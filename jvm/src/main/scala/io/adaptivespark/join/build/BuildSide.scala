package io.adaptivespark.join.rule

import scala.annotation.tailrec

import com.google.common.hash.Hashing
import com.google.common.math.LongMath
import org.apache.spark.sql.catalyst.expressions.{
  Attribute,
  BoundReference,
  Expression,
  IsNotNull,
  PredicateHelper,
  UserDefinedExpression
}
import org.apache.spark.sql.catalyst.optimizer.{BuildLeft, BuildRight}
import org.apache.spark.sql.catalyst.plans.{ExistenceJoin, FullOuter, LeftOuter, RightOuter}
import org.apache.spark.sql.execution._
import org.apache.spark.sql.execution.adaptive.{
  AdaptiveSparkPlanExec,
  AQEShuffleReadExec,
  BroadcastQueryStageExec,
  QueryStageExec,
  ShuffleQueryStageExec
}
import org.apache.spark.sql.execution.columnar.InMemoryTableScanExec
import org.apache.spark.sql.execution.datasources.v2.BatchScanExec
import org.apache.spark.sql.execution.exchange.{
  BroadcastExchangeExec,
  ReusedExchangeExec,
  ShuffleExchangeExec
}
import org.apache.spark.sql.execution.joins._
import org.apache.spark.sql.execution.python.{EvalPythonExec, MapInBatchExec}
import org.apache.spark.sql.execution.window.WindowExec

import io.adaptivespark.filter.exec.AdaptiveFilter
import io.adaptivespark.filter.plan.CanonicalForm
import io.adaptivespark.history.ScanName
import io.adaptivespark.join.exec.{CollectKeysExec, DynamicFilterExec}
import io.adaptivespark.join.keys.InDynamicKeys
import io.adaptivespark.join.rule.Legality.Step
import io.adaptivespark.join.scan.{ProbeColumn, ScanBytes, StandIn}
import io.adaptivespark.shim.ShuffleShim

/** One side of a join whose keys can be read: an exchange, or a stage that is one.
  *
  * @param exchange
  *   the node that the join reads, so that its rows are computed once
  * @param keys
  *   all keys of the join on this side, over the exchange's output
  */
final private[adaptivespark] case class BuildSide(exchange: SparkPlan, keys: Seq[Expression]) {

  def isFinished: Boolean = exchange match {
    case stage: QueryStageExec => stage.isMaterialized
    case _ => false
  }

  def isBroadcast: Boolean = exchange match {
    case _: BroadcastExchangeExec | _: BroadcastQueryStageExec => true
    case _ => false
  }

  /** Whether it holds fewer values of its `key`-th key than the tables it comes from, other than by the conditions on that key alone that `column` is under, too. */
  def isReduced(key: Int, column: ProbeColumn): Boolean =
    BuildSide.reduced(exchange, Some(keys(key)), BuildSide.conditions(column))

  /** Whether Spark takes it and a second occurrence of it for one. Some sources of DataSource V2 are equal to nothing, not even to themselves. */
  def isReused: Boolean = !exchange.exists {
    case scan: BatchScanExec => scan.batch != scan.scan.toBatch
    case _ => false
  }

  /** Whether it reads a cached table that is not there yet, which each occurrence would begin to compute. */
  def isCaching: Boolean = BuildSide.anywhere(exchange) {
    case cached: InMemoryTableScanExec => !cached.isMaterialized
    case _ => false
  }

  /** Whether it reads a stream, whose progress would count the rows of both occurrences. */
  def isStream: Boolean = BuildSide.anywhere(exchange) {
    case scan: StreamSourceAwareSparkPlan => scan.getStream.isDefined
    case _ => false
  }

  /** Sources within it that have every value of its `key`-th key, and which of their keys it is: those of the joins below that let no other value through. */
  def within(key: Int): Seq[(BuildSide, Int)] = BuildSide.bounding(exchange, keys(key))

  /** What must be done before the keys are there, in bytes of a plain scan. */
  def work: Long = {
    val bytes = ScanBytes(exchange)
    if (BuildSide.isCostly(exchange)) LongMath.saturatedMultiply(bytes, BuildSide.Costly) else bytes
  }

  /** A hash of what it reads, of what filters that, and of the `name` of a filter by it; without constants, catalogs and schemas. It looks like a name. */
  def fingerprint(name: String): String = BuildSide.fingerprint(name +: BuildSide.contents(exchange))

  /** Whether the same rows come out when a part of it is computed once more, after an executor was lost. What was broadcast stays. */
  def isRepeatable: Boolean = isBroadcast || BuildSide.deterministic(exchange)
}

private[adaptivespark] object BuildSide extends PredicateHelper {

  /** A hash of all parts together. */
  def fingerprint(parts: Seq[String]): String =
    "k" + Hashing.murmur3_128().hashUnencodedChars(parts.mkString("\n")).toString.take(16)

  /** The sides of `join` as sources: left, right. */
  def of(join: BaseJoinExec): (Option[BuildSide], Option[BuildSide]) = join match {
    case broadcast: BroadcastHashJoinExec => broadcast.buildSide match {
        case BuildLeft => (source(join.left, join.leftKeys), None)
        case BuildRight => (None, source(join.right, join.rightKeys))
      }
    case _: SortMergeJoinExec | _: ShuffledHashJoinExec =>
      (source(join.left, join.leftKeys), source(join.right, join.rightKeys))
    case _ => (None, None)
  }

  // Also within stages that have begun. Only a key of the join that is the key itself has its type.
  @tailrec private def bounding(
      plan: SparkPlan,
      key: Expression,
      found: Seq[(BuildSide, Int)] = Nil
  ): Seq[(BuildSide, Int)] = {
    val here = found ++ partners(plan, key)
    below(plan, key) match {
      // a join's partner comes second
      case step +: others if others.isEmpty || plan.isInstanceOf[BaseJoinExec] =>
        bounding(step.child, step.key, here)
      case _ => here
    }
  }

  /** From where below the values of `key` come: as `Legality` says, and on through what has begun, or has a filter. */
  private def below(plan: SparkPlan, key: Expression): Seq[Step] = plan match {
    case stage: QueryStageExec => Seq(Step(stage.plan, key))
    case ReusedExchangeExec(output, exchange) =>
      val replaced = output.zip(exchange.output).map { case (mine, its) => mine.exprId -> its }.toMap
      Seq(Step(
        exchange,
        key.transform { case column: Attribute => replaced.getOrElse(column.exprId, column) }
      ))
    case _: BroadcastExchangeExec | _: WholeStageCodegenExec | _: AQEShuffleReadExec | _: CollectKeysExec | _: AdaptiveFilter =>
      Seq(Step(plan.children.head, key))
    case _ => Legality.below(plan, key)
  }

  private def partners(plan: SparkPlan, key: Expression): Seq[(BuildSide, Int)] = plan match {
    case join: BaseJoinExec =>
      val (left, right) = of(join)
      val bounds = Legality.bounds(join.joinType)
      Seq((bounds.right, join.leftKeys, right), (bounds.left, join.rightKeys, left)).collect {
        case (true, mine, Some(source)) => mine.indices.filter(mine(_).semanticEquals(key)).map(source -> _)
      }.flatten
    case _ => Nil
  }

  @tailrec private def source(side: SparkPlan, keys: Seq[Expression]): Option[BuildSide] = side match {
    case _: SortExec | _: InputAdapter | _: WholeStageCodegenExec | _: AQEShuffleReadExec =>
      source(side.children.head, keys)
    case shuffle: ShuffleExchangeExec if !ShuffleShim.isPipelined(shuffle) => Some(BuildSide(shuffle, keys))
    case _: BroadcastExchangeExec => Some(BuildSide(side, keys))
    case stage: ShuffleQueryStageExec if stage.shuffle.isInstanceOf[ShuffleExchangeExec] =>
      Some(BuildSide(stage, keys))
    case stage: BroadcastQueryStageExec => Some(BuildSide(stage, keys))
    case _ => None
  }

  /** Spark's filter or ours: condition, child. */
  private object Filtering {
    def unapply(plan: SparkPlan): Option[(Expression, SparkPlan)] = plan match {
      case filter: FilterExec => Some(filter.condition -> filter.child)
      case filter: AdaptiveFilter => Some(filter.condition -> filter.child)
      case _ => None
    }
  }

  /** The conditions on its key alone that a scan is under, as they are written of any key. */
  private def conditions(column: ProbeColumn): Seq[Expression] = column.between.flatMap {
    case Filtering(condition, _) => splitConjunctivePredicates(condition)
    case _ => Nil
  }.map(ofKey(_, column.key)).filter(_.references.isEmpty)

  private def ofKey(condition: Expression, key: Expression): Expression = condition.transform {
    case part if part.semanticEquals(key) => BoundReference(0, key.dataType, nullable = true)
  }.canonicalized

  private def reduced(plan: SparkPlan, key: Option[Expression], known: Seq[Expression]): Boolean = {
    val steps = key.toSeq.flatMap(below(plan, _))
    def in(child: SparkPlan) = reduced(child, steps.find(_.child eq child).map(_.key), known)
    def selects(condition: Expression) = splitConjunctivePredicates(condition).exists {
      case _: IsNotNull => false
      case other => !key.exists(key => known.contains(ofKey(other, key)))
    }
    plan match {
      case Filtering(condition, child) => selects(condition) || in(child)
      case _: BaseLimitExec | _: TakeOrderedAndProjectExec | _: SampleExec | _: LocalTableScanExec => true
      case scan: FileSourceScanExec => scan.partitionFilters.nonEmpty
      case StandIn(plan) => in(plan)
      case join: BaseJoinExec => join.joinType match {
          case LeftOuter | ExistenceJoin(_) => in(join.left)
          case RightOuter => in(join.right)
          case FullOuter => false
          case _ => in(join.left) || in(join.right)
        }
      case other => other.children.exists(in)
    }
  }

  // The same before Spark begins and once it is a stage.
  private def contents(plan: SparkPlan): Seq[String] = plan match {
    case Filtering(condition, child) => written(condition) ++ contents(child)
    case filtered: DynamicFilterExec => contents(filtered.child)
    case StandIn(plan) => contents(plan)
    case _ if plan.children.isEmpty => Seq(ScanName.relative(plan))
    case _ => plan.children.flatMap(contents)
  }

  private def written(condition: Expression): Seq[String] = splitConjunctivePredicates(condition).collect {
    case other if !other.isInstanceOf[InDynamicKeys] => CanonicalForm.relative(other)
  }

  // How much longer a row takes that goes through more than filters and joins, roughly.
  private val Costly = 4L

  // The same before Spark begins and once parts of it are stages: adaptive execution refuses a plan with a filter that was not in the one before.
  private def isCostly(exchange: SparkPlan): Boolean = exchange match {
    case StandIn(plan) => isCostly(plan)
    case _ =>
      val below = exchange.children.flatMap(operators)
      below.count(_.isInstanceOf[ShuffleExchangeExec]) > 1 || below.exists {
        case _: WindowExec | _: GenerateExec | _: EvalPythonExec => true
        case operator => operator.expressions.exists(_.exists(_.isInstanceOf[UserDefinedExpression]))
      }
  }

  private def operators(plan: SparkPlan): Seq[SparkPlan] = plan match {
    case StandIn(plan) => operators(plan)
    case filtered: DynamicFilterExec => operators(filtered.child)
    case other => other +: other.children.flatMap(operators)
  }

  /** Whether `isIt` is true of an operator, also of one in a stage. */
  private def anywhere(plan: SparkPlan)(isIt: SparkPlan => Boolean): Boolean = plan.exists {
    case StandIn(plan) => anywhere(plan)(isIt)
    case operator => isIt(operator)
  }

  // Functions on objects, and what other programs make of rows, may be anything.
  def deterministic(plan: SparkPlan): Boolean = plan match {
    case _: BaseLimitExec | _: TakeOrderedAndProjectExec | _: SampleExec => false
    case _: ObjectConsumerExec | _: ObjectProducerExec | _: BaseScriptTransformationExec | _: MapInBatchExec =>
      false
    case StandIn(plan) => deterministic(plan)
    case cached: InMemoryTableScanExec => deterministic(cached.relation.cachedPlan)
    case adaptive: AdaptiveSparkPlanExec => deterministic(adaptive.initialPlan)
    case other => other.expressions.forall(_.deterministic) && other.children.forall(deterministic)
  }
}
