package io.adaptivespark.history.write

import java.lang.ref.WeakReference

import scala.collection.mutable

/** The writes of one application, in the order in which they ended, each with the session that made it.
  *
  * Safe for any thread.
  *
  * A write counts once its execution is over: before that nobody is promised its rows.
  *
  * @param isRunning
  *   whether a SQL execution, by its id, is not over yet
  */
final private[adaptivespark] class Writes(isRunning: Long => Boolean) {
  import Writes._

  private val running = mutable.LinkedHashSet.empty[Begun]
  private val over = mutable.Queue.empty[Write]
  private var count = 0L

  /** @param execution
    *   none where nothing tells when the write is over; it then counts at once
    */
  def began(execution: Option[Long], session: AnyRef, tables: WrittenTables): Unit = synchronized {
    settle()
    val write = Write(new WeakReference(session), tables)
    execution.fold(end(write)) { id =>
      if (!running.exists(other => other.execution == id && other.write.tables == tables))
        running += Begun(id, write)
    }
  }

  /** How many writes are over: the mark of a reader who reads now. */
  def mark: Long = synchronized {
    settle()
    count
  }

  /** What sessions other than `session` have written since a mark. */
  def since(mark: Long, session: AnyRef): WrittenTables = synchronized {
    settle()
    together(mark, Nil)(_.session.get ne session)
  }

  /** What all sessions have written since a mark, and what `execution` itself writes before it is over: a command that
    * changed a table makes anew what is cached of it.
    */
  def since(mark: Long, execution: Option[Long]): WrittenTables = synchronized {
    settle()
    together(mark, running.toVector.filter(begun => execution.contains(begun.execution)).map(_.write))(_ =>
      true
    )
  }

  private def together(mark: Long, more: Seq[Write])(isNews: Write => Boolean): WrittenTables =
    if (count - mark > over.size) WrittenTables.Every
    else (over.takeRight((count - mark).toInt) ++ more).filter(isNews).map(_.tables)
      .foldLeft[WrittenTables](WrittenTables.None)(_ ++ _)

  private def settle(): Unit = {
    val ended = running.filterNot(begun => isRunning(begun.execution))
    ended.foreach { begun =>
      running -= begun
      end(begun.write)
    }
  }

  private def end(write: Write): Unit = {
    over.enqueue(write)
    count += 1
    if (over.size > Limit) over.dequeue()
  }
}

private[adaptivespark] object Writes {

  /** Writes that are kept. A session that has missed more takes every table for written. */
  val Limit = 1000

  private final case class Write(session: WeakReference[AnyRef], tables: WrittenTables)
  private final case class Begun(execution: Long, write: Write)
}
