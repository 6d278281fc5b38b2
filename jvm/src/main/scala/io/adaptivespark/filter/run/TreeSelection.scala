package io.adaptivespark.filter.run

import io.adaptivespark.filter.plan.Segment
import io.adaptivespark.filter.sampling.ConjunctLoops

/** Narrows a selection by a segment's AND and OR nodes. An AND hands the rows that a child keeps to the
  * next child, an OR the rows that it drops.
  */
private[adaptivespark] final class TreeSelection(segment: Segment, loops: ConjunctLoops) {
  private val nodes = segment.shape.nodes
  private val scratch = nodes.map(node => if (node.isConjunction) null else new TreeSelection.Scratch).toArray

  /** Keeps those of the first `count` of `rows` that pass, in their order.
    *
    * @param children
    *   by node, its children in the order of evaluation
    *
    * @return
    *   the number of rows kept
    */
  def keep(children: Array[Array[Int]], rows: Array[Int], count: Int): Int = child(children, ~0, rows, count)

  private def child(children: Array[Array[Int]], of: Int, rows: Array[Int], count: Int): Int =
    if (of >= 0) loops.keep(segment.from + of, rows, count, rows)
    else if (nodes(~of).isConjunction) all(children, children(~of), rows, count)
    else any(children, children(~of), scratch(~of), rows, count)

  private def all(children: Array[Array[Int]], order: Array[Int], rows: Array[Int], count: Int): Int = {
    var left = count
    var i = 0
    while (i < order.length && left > 0) {
      left = child(children, order(i), rows, left)
      i += 1
    }
    left
  }

  private def any(
      children: Array[Array[Int]],
      order: Array[Int],
      scratch: TreeSelection.Scratch,
      rows: Array[Int],
      count: Int
  ): Int = {
    scratch.begin(rows, count)
    var left = count
    var i = 0
    while (i < order.length && left > 0) {
      System.arraycopy(scratch.rest, 0, scratch.kept, 0, left)
      val kept = child(children, order(i), scratch.kept, left)
      if (kept > 0) left = scratch.take(kept, left)
      i += 1
    }
    scratch.finish(rows, count, left)
  }
}

private object TreeSelection {

  /** Arrays of one OR: rows that no child has kept yet, and rows that the current child keeps. */
  final class Scratch {
    var rest = new Array[Int](0)
    var kept = new Array[Int](0)
    private var passed = new Array[Boolean](0) // by row of the batch

    def begin(rows: Array[Int], count: Int): Unit = {
      if (rest.length < count) {
        rest = new Array[Int](rows.length)
        kept = new Array[Int](rows.length)
      }
      if (passed.length <= rows(count - 1)) passed = new Array[Boolean](rows(count - 1) + 1)
      else java.util.Arrays.fill(passed, false)
      System.arraycopy(rows, 0, rest, 0, count)
    }

    /** Moves the first `size` of `kept` out of the first `count` of `rest`. Returns how many stay in
      * `rest`.
      */
    def take(size: Int, count: Int): Int = {
      var i = 0
      while (i < size) {
        passed(kept(i)) = true
        i += 1
      }
      var left = 0
      i = 0
      while (i < count) {
        val row = rest(i)
        rest(left) = row
        if (!passed(row)) left += 1
        i += 1
      }
      left
    }

    /** Leaves in `rows` those that passed. Returns their number. */
    def finish(rows: Array[Int], count: Int, left: Int): Int =
      if (left == count) 0
      else {
        var size = 0
        var i = 0
        while (i < count) {
          val row = rows(i)
          rows(size) = row
          if (passed(row)) size += 1
          i += 1
        }
        size
      }
  }
}
