package io.adaptivespark.filter

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression, Predicate}

/** The adaptive filter outside whole-stage code generation: one predicate object a conjunct, evaluated in the learned order. */
private[filter] final class InterpretedFilter(
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
    else if (monitor.tick()) sample(segment.from, monitor, row)
    else {
      val order = monitor.order
      var i = 0
      while (i < order.length && predicates(segment.from + order(i)).eval(row)) i += 1
      i == order.length
    }

  private def sample(from: Int, monitor: RowMonitor, row: InternalRow): Boolean = {
    monitor.beginSample()
    var passed = true
    monitor.order.foreach { position =>
      if (monitor.mayEvaluate(position)) {
        val ok = predicates(from + position).eval(row)
        monitor.record(position, ok)
        passed &= ok
      }
    }
    monitor.endSample()
    passed
  }
}
