package io.adaptivespark.filter.sampling

import java.util.Arrays
import java.util.concurrent.TimeUnit
import java.util.concurrent.locks.ReentrantLock

import com.google.common.cache.{Cache, CacheBuilder}
import org.slf4j.LoggerFactory

import io.adaptivespark.filter.order.{Evidence, LearnedOrder, Outcomes, SegmentOrdering}

/** Order of one segment on one executor, shared by the tasks that run it (arXiv 1905.01349, §2.2).
  *
  * Tasks collect on their own and offer what they saw. One at a time may reorder; a task whose offer is
  * refused keeps its samples.
  */
final class SharedOrder(ordering: SegmentOrdering) {
  private val lock = new ReentrantLock
  private val pool = {
    val evidence = new Evidence(ordering.shape.leaves)
    ordering.prior.foreach { prior =>
      evidence.add(prior)
      // A prior weighs no more than one epoch of this query.
      val epochs = prior.samples.toDouble / ordering.epochSamples
      evidence.fade(ordering.policy.carriedOver / math.max(1.0, epochs))
    }
    evidence
  }
  private var pooled = 0L

  // By partition, samples that its tasks have offered. Written by the thread that has the lock.
  @volatile private var offered = Array.emptyLongArray
  @volatile private var learned = ordering.initial

  def current: LearnedOrder = learned

  /** Samples that a task collects before it offers them: 32 at first, doubling up to a full epoch. */
  def samplesToCollect: Long =
    math.max(1L, math.min(ordering.epochSamples, SharedOrder.FirstEpoch << math.min(learned.epoch, 40)))

  /** Begins a task of `partition`. Samples that a failed task of it offered are of the same rows. */
  def begin(partition: Int): SharedOrder.Offers =
    new SharedOrder.Offers(partition, offered.lift(partition).getOrElse(0L))

  /** Takes `evidence`, and reorders if that fills the epoch. A task that runs again counts only from where
    * the earlier one failed.
    *
    * @param of
    *   the task's offers so far
    * @param wait
    *   true to wait for another task's update instead of being refused
    *
    * @return
    *   whether the evidence was taken, and whether the order changed
    */
  def offer(evidence: Evidence, of: SharedOrder.Offers, wait: Boolean): SharedOrder.Answer =
    if (!acquire(wait)) SharedOrder.Refused
    else
      try {
        val full = samplesToCollect
        val samples = evidence.samples
        of.samples += samples
        note(of)
        val fresh = math.min(samples, math.max(0L, of.samples - of.earlier))
        if (fresh == samples) pool.add(evidence)
        else {
          val rest = evidence.copy()
          rest.fade(fresh.toDouble / samples)
          pool.add(rest)
        }
        pooled += fresh
        if (fresh > 0 && pooled >= full) reorder() else SharedOrder.Kept
      } finally lock.unlock()

  private def note(of: SharedOrder.Offers): Unit = if (of.partition < SharedOrder.MostPartitions) {
    val known = offered
    val noted =
      if (of.partition < known.length) known
      else
        Arrays.copyOf(
          known,
          math.min(SharedOrder.MostPartitions, math.max(of.partition + 1, known.length * 2))
        )
    noted(of.partition) = math.max(of.samples, of.earlier)
    offered = noted
  }

  /** Bytes on the heap that it may grow to. */
  private def mostBytes: Int = {
    val leaves = ordering.shape.leaves
    val outcomes = if (ordering.policy.usesOutcomes) Outcomes.mostUnbounded(leaves) else 0L
    val bytes = SharedOrder.OfItself + SharedOrder.OfLeaf * leaves + outcomes
    bytes.max(SharedOrder.MostBytes / SharedOrder.MostOrders).min(SharedOrder.MostBytes).toInt
  }

  private def acquire(wait: Boolean): Boolean =
    if (wait) { lock.lock(); true }
    else lock.tryLock()

  private def reorder(): SharedOrder.Answer = {
    val before = learned
    learned = ordering.policy.next(before, pool, ordering.shape, ordering.mayThrow)
    pool.fade(ordering.policy.carriedOver)
    pooled = 0
    if (learned.orders == before.orders) SharedOrder.Kept
    else {
      if (ordering.verbose) {
        val ranks = learned.ranks.take(ordering.shape.leaves).map(r => f"$r%.3g").mkString(", ")
        val order = learned.leaves(ordering.shape).mkString(", ")
        SharedOrder.log.info(
          s"Adaptive filter ${ordering.label}: epoch ${learned.epoch}, order $order, ranks $ranks"
        )
      }
      SharedOrder.Reordered
    }
  }
}

object SharedOrder {
  sealed trait Answer
  case object Refused extends Answer
  case object Kept extends Answer
  case object Reordered extends Answer

  /** Offers of one task.
    *
    * @param earlier
    *   samples that another task of its partition offered before it began
    */
  final class Offers(val partition: Int, val earlier: Long) {
    private[SharedOrder] var samples = 0L
  }

  private val FirstEpoch = 32L

  // Beyond so many partitions, one that counts twice weighs nothing.
  private val MostPartitions = 4096
  // its objects, and the offers of most partitions
  private val OfItself = 1024L + 8 * MostPartitions
  // its counts, rank and place, each twice, and its place in the tree
  private val OfLeaf = 200L

  /** Orders, of which each that is not larger than usual takes an equal share of `MostBytes`. */
  private[sampling] val MostOrders = 1024L

  /** Bytes of all orders of an executor, 64 KB each: those of 150 leaves fit.
    *
    * Of 2,000 leaves it has 150 orders, more than run at a time.
    */
  private val MostBytes = 64L << 20
  private val log = LoggerFactory.getLogger("io.adaptivespark.filter.AdaptiveFilter")

  // An executor has no memory of a driver; one of local mode runs the tasks of several, one after another, whose runs
  // have keys of their own. Tasks of a query hold their order themselves; what no task has asked for in ten minutes
  // belongs to a finished query. One segment: more would divide the bytes among them.
  private val orders: Cache[String, SharedOrder] =
    CacheBuilder.newBuilder.concurrencyLevel(1).maximumWeight(MostBytes)
      .weigher((_: String, order: SharedOrder) => order.mostBytes)
      .expireAfterAccess(10, TimeUnit.MINUTES).build[String, SharedOrder]()

  /** Order of the segment `key` on this executor. */
  def of(key: String)(create: => SharedOrder): SharedOrder = orders.get(key, () => create)

  /** Orders that this executor has. */
  private[sampling] def count: Long = orders.size
}
