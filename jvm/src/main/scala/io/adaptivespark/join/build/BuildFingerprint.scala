package io.adaptivespark.join.build

import java.nio.charset.StandardCharsets

import com.google.common.hash.Hashing
import org.apache.spark.sql.catalyst.expressions.{Expression, PredicateHelper}
import org.apache.spark.sql.execution.SparkPlan

import io.adaptivespark.filter.plan.CanonicalForm
import io.adaptivespark.join.exec.DynamicFilterExec
import io.adaptivespark.join.keys.testing.InDynamicKeys
import io.adaptivespark.scan.{ScanKind, StandIn}

/** A hash by which a later query knows the same filter: of the tables that a build side reads and of the conditions on
  * them, without constants, catalogs and schemas. It looks like a name, so that texts without constants keep it.
  */
private[adaptivespark] object BuildFingerprint extends PredicateHelper {

  def apply(source: BuildSide, filter: String): String = of(filter +: contents(source.exchange))

  def of(parts: Seq[String]): String =
    "k" + Hashing.murmur3_128().hashString(parts.mkString("\n"), StandardCharsets.UTF_16LE).toString.take(16)

  // The answer must not change once parts of the plan are stages.
  private def contents(plan: SparkPlan): Seq[String] = plan match {
    case AnyFilter(condition, child) => written(condition) ++ contents(child)
    case filtered: DynamicFilterExec => contents(filtered.child)
    case StandIn(plan) => contents(plan)
    case _ if plan.children.isEmpty => Seq(ScanKind.of(plan).relativeName)
    case _ => plan.children.flatMap(contents)
  }

  private def written(condition: Expression): Seq[String] = splitConjunctivePredicates(condition).collect {
    case other if !other.isInstanceOf[InDynamicKeys] => CanonicalForm.relative(other)
  }
}
