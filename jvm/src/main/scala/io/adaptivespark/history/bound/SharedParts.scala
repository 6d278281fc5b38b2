package io.adaptivespark.history.bound

import scala.collection.mutable

/** Parts of entries, of which equal ones are kept once, as long as an entry has them. Not safe for several threads. */
final private[history] class SharedParts[P](bytesOf: P => Long) {
  private val known = mutable.HashMap.empty[P, SharedParts.Holding[P]]
  private var sum = 0L

  /** Bytes of all parts. */
  def bytes: Long = sum

  /** The part that is kept for `part`, held once more. */
  def hold(part: P): P = {
    val holding = known.getOrElseUpdate(
      part, {
        sum += bytesOf(part)
        new SharedParts.Holding(part)
      }
    )
    holding.times += 1
    holding.part
  }

  /** Ends one `hold`. */
  def release(part: P): Unit = known.get(part).foreach { holding =>
    holding.times -= 1
    if (holding.times == 0) {
      known -= part
      sum -= bytesOf(part)
    }
  }
}

private object SharedParts {
  final private class Holding[P](val part: P) { var times = 0 }
}
