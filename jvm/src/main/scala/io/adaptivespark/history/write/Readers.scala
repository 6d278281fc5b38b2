package io.adaptivespark.history.write

import java.util.concurrent.ConcurrentMap

import com.google.common.collect.MapMaker

/** Up to which write each session has looked. Safe for any thread. */
final private[adaptivespark] class Readers(writes: Writes) {
  private val marks: ConcurrentMap[AnyRef, Readers.Mark] = new MapMaker().weakKeys().makeMap()

  /** Tells `forget` what others have written since the session looked last, if anything.
    *
    * Other threads of the session wait until it has been forgotten.
    */
  def look(session: AnyRef)(forget: WrittenTables => Unit): Unit = {
    val seen = marks.computeIfAbsent(session, _ => new Readers.Mark(writes.mark))
    seen.synchronized {
      val now = writes.mark
      if (seen.at < now) {
        val stale = writes.since(seen.at, session)
        if (!stale.isNone) forget(stale)
        seen.at = now
      }
    }
  }

  /** The mark of the session's last look: what it has learned of tables since is at least as new. */
  def mark(session: AnyRef): Long = Option(marks.get(session)).fold(writes.mark)(_.at)
}

private object Readers {
  final class Mark(@volatile var at: Long)
}
