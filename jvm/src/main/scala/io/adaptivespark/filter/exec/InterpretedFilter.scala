package io.adaptivespark.filter.exec

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression, Predicate}

import io.adaptivespark.filter.order.BranchTargets
import io.adaptivespark.filter.plan.Segment
import io.adaptivespark.filter.sampling.{RowMonitor, TaskMonitor}

/** The adaptive filter outside of generated code: one predicate object for each leaf, in the learned order.
  */
private[adaptivespark] final class InterpretedFilter(
    conjuncts: IndexedSeq[Expression],
    segments: IndexedSeq[Segment],
    input: Seq[Attribute],
    partition: Int,
    monitor: TaskMonitor
) {
  private val predicates = conjuncts.map { conjunct =>
    val predicate = Predicate.create(conjunct, input)
    predicate.initialize(partition)
    predicate
  }.toArray

  def passes(row: InternalRow): Boolean = {
    monitor.count(1)
    var at = 0
    while (at < segments.length && passes(segments(at), monitor.rowSegment(at), row)) at += 1
    at == segments.length
  }

  private def passes(segment: Segment, monitor: RowMonitor, row: InternalRow): Boolean =
    if (monitor == null) predicates(segment.from).eval(row)
    else {
      val sampled = monitor.isNextSample()
      var leaf = if (sampled) monitor.beginSample() else monitor.first
      while (leaf >= 0) {
        val truth = predicates(segment.from + leaf).eval(row)
        leaf =
          if (sampled) monitor.record(leaf, truth)
          else if (truth) monitor.onTrue(leaf)
          else monitor.onFalse(leaf)
      }
      leaf == BranchTargets.Pass
    }
}
