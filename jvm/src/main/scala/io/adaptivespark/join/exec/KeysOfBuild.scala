package io.adaptivespark.join.exec

import scala.collection.mutable
import scala.concurrent.{Await, Promise}
import scala.concurrent.duration.Duration

import io.adaptivespark.join.keys.testing.ColumnKeys

/** The keys of one build side, for all scans that ask for them. Safe for any thread.
  *
  * A query reads each key once, unless another query is reading it at the time. A scan waits for keys that its own
  * query is reading: who cancels the query ends the reading, and so the wait. It does not wait for another query, as
  * cancelling a query ends its own jobs alone: it reads such keys itself.
  */
final private[exec] class KeysOfBuild {
  import KeysOfBuild.Reading

  private val known = mutable.HashMap.empty[Any, ColumnKeys]
  private val running = mutable.HashMap.empty[Any, Reading]

  /** The keys by key, in the order of `keys`.
    *
    * @param read
    *   reads some of them, in their order; called by one thread of a query at a time
    * @throws InterruptedException
    *   if the thread is interrupted while it waits
    */
  def of[Key](keys: Seq[Key], query: Any)(read: Seq[Key] => Seq[ColumnKeys]): Seq[ColumnKeys] = {
    val mine = new Reading(query)
    val (awaited, missing) = begin(keys.distinct, mine)
    if (missing.nonEmpty) finish(mine, missing)(read)
    awaited.foreach(of => Await.result(of.done.future, Duration.Inf))
    synchronized(keys.map(known(_)))
  }

  private def begin[Key](keys: Seq[Key], mine: Reading): (Seq[Reading], Seq[Key]) = synchronized {
    val unknown = keys.filterNot(known.contains(_))
    val (read, missing) = unknown.partition(key => running.get(key).exists(_.query == mine.query))
    val awaited = read.map(running(_)).distinct
    missing.foreach(running.getOrElseUpdate(_, mine))
    (awaited, missing)
  }

  private def finish[Key](mine: Reading, missing: Seq[Key])(read: Seq[Key] => Seq[ColumnKeys]): Unit =
    try {
      val found = read(missing)
      synchronized(missing.zip(found).foreach { case (key, keys) => known.getOrElseUpdate(key, keys) })
      mine.done.success(())
    } catch {
      case error: Throwable =>
        mine.done.failure(error)
        throw error
    } finally synchronized(running --= running.collect { case (key, `mine`) => key })
}

private object KeysOfBuild {

  /** A query's reading of some keys. */
  final private class Reading(val query: Any) { val done: Promise[Unit] = Promise() }
}
