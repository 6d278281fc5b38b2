package io.adaptivespark.history.memory

import java.nio.charset.StandardCharsets

import com.google.common.cache.{Cache, CacheBuilder}
import com.google.common.hash.{HashCode, Hashing}

import io.adaptivespark.filter.order.{Evidence, Outcomes}
import io.adaptivespark.filter.plan.CanonicalForm
import io.adaptivespark.filter.sampling.FilterReport
import io.adaptivespark.history.bound.Footprint
import io.adaptivespark.shim.JavaCollections._

/** Evidence of predicates for the next query that has them, in any session of the application or from an
  * earlier run.
  *
  * It is a prior, not an order: the policy makes an order of it, and the query's own samples correct it.
  * The evidence is that of the newest query, topped up to `Enough` samples from earlier ones. A query that
  * has just begun, was cancelled or met few rows takes nothing away.
  */
final private[adaptivespark] class FilterMemory {
  import FilterMemory._

  // By who learns, and the shapes of a filter's predicates, in any order; the newest first.
  private val known: Cache[(String, HashCode), List[Learned]] =
    // one segment: more would divide the bytes among them
    CacheBuilder.newBuilder.concurrencyLevel(1).maximumWeight(MostBytes)
      .weigher((of: (String, HashCode), learned: List[Learned]) => weight(of._1, learned))
      .build[(String, HashCode), List[Learned]]()

  /** Remembers what a query that is about to execute will have learned by the time that the next one asks.
    *
    * @param learners
    *   who may learn from it (see [[DriverMemory.learners]])
    */
  def add(learners: String, report: FilterReport, predicates: IndexedSeq[CanonicalForm]): Unit =
    synchronized {
      val hashed = predicates.map(hash)
      val before = ofFilter(learners, hashed)
      val once = before.headOption.map(_.predicates).filter(_ == hashed).getOrElse(hashed)
      val newest = new Learned(once, () => report.copy().evidence, () => report.bytes)
      known.put(
        (learners, key(hashed)),
        newest ::
          (if (before.size < MostLive) before
           else before.dropRight(2) :+ sum(before(MostLive - 2), before.last))
      )
    }

  def clear(): Unit = known.invalidateAll()

  /** Filters that something is known of. */
  def size: Long = known.size

  /** What `learners` know of `predicates`, in their order.
    *
    * @param earlier
    *   what earlier runs learned
    */
  def prior(learners: String, predicates: IndexedSeq[CanonicalForm], earlier: Prior): Option[Evidence] = {
    val hashed = predicates.map(hash)
    val ofEarlier = new Learned(earlier.forms.map(hash), () => earlier.evidence, () => 0L)
    val fromNewest = (ofFilter(learners, hashed).iterator ++ Iterator(ofEarlier)).map(select(_, hashed))
    val total = new Evidence(predicates.size)
    while (total.samples < Enough && fromNewest.hasNext) topUp(total, fromNewest.next())
    if (total.samples > 0) Some(total) else None
  }

  private def topUp(total: Evidence, older: Evidence): Unit = {
    val wanted = Enough - total.samples
    if (total.samples > 0 && older.samples > wanted) older.fade(wanted.toDouble / older.samples)
    total.add(older)
  }

  /** Two queries as one. Fading rounds down, so the sum of many small queries is halved now and then, not
    * faded a little each time.
    */
  private def sum(newer: Learned, older: Learned): Learned = {
    val total = newer.seen()
    val ofNewer = total.samples
    if (ofNewer < Enough) {
      total.add(select(older, newer.predicates))
      total.outcomes.bound()
      if (ofNewer > 0 && total.samples > 2 * Enough) total.fade(Enough.toDouble / total.samples)
    }
    new Learned(newer.predicates, () => total.copy(), () => total.bytes)
  }

  private def ofFilter(learners: String, predicates: IndexedSeq[Predicate]): List[Learned] =
    Option(known.getIfPresent((learners, key(predicates)))).getOrElse(Nil)

  private def key(predicates: IndexedSeq[Predicate]): HashCode =
    Hashing.combineUnordered(predicates.map(_.shape).asJava)

  /** What was learned of `predicates`: of the same one, constants included; else of the same shape; else, where only
    * one relation has a predicate like it, of that one, as the relation's name may be another.
    */
  private def select(learned: Learned, predicates: IndexedSeq[Predicate]): Evidence = {
    val of = learned.predicates
    val origins = Array.fill(predicates.size)(-1)
    Seq[Predicate => Option[HashCode]](_.exact, p => Some(p.shape), p => Some(p.relative)).foreach { level =>
      val alike = of.indices.diff(origins).filter(i => level(of(i)).isDefined).groupBy(i => level(of(i)))
      origins.indices.filter(origins(_) < 0).foreach { i =>
        alike.get(level(predicates(i))).foreach(found => if (found.size == 1) origins(i) = found.head)
      }
    }
    learned.seen().select(origins.toIndexedSeq)
  }
}

private[history] object FilterMemory {

  /** Filters, of which each that is not larger than usual takes an equal share of `MostBytes`. */
  private[history] val Limit = 1000L

  /** Bytes of all.
    *
    * A filter of ten predicates takes about 30 KB: most of it is room for the joint outcomes of its
    * newest report, which has just begun.
    */
  private[history] val MostBytes: Long = 32L << 20

  // More would not weigh more: a prior counts as an epoch at most.
  private val Enough = 1000L

  // Queries with the same predicates that may still be running; of the ones before them, the sum is kept.
  private val MostLive = 4

  /** A predicate's shape, the shape without the relation's name, and, of a predicate of this application, its exact
    * form: all as hashes, to be small.
    */
  private final case class Predicate(shape: HashCode, relative: HashCode, exact: Option[HashCode])

  /** @param seen
    *   makes a copy of what is known by now
    * @param bytes
    *   of what is known by now
    */
  private final class Learned(
      val predicates: IndexedSeq[Predicate],
      val seen: () => Evidence,
      val bytes: () => Long
  )

  // three hashes, each with an array
  private val OfPredicate = 208L

  // What is larger than all that there may be would not stay, though it is the newest.
  private def weight(learners: String, of: List[Learned]): Int = {
    val predicates = of.map(_.predicates).distinct.map(_.size * OfPredicate).sum
    val toCome = of.headOption.fold(0L)(newest => Outcomes.mostBytes(newest.predicates.size))
    val bytes = Footprint.of(learners) + predicates + of.map(_.bytes() + Footprint.OfObject).sum + toCome
    bytes.max(MostBytes / Limit).min(MostBytes).toInt
  }

  private def hash(predicate: CanonicalForm): Predicate =
    Predicate(hash(predicate.shape), hash(predicate.relative), predicate.exact)

  private def hash(text: String): HashCode = Hash.hashString(text, StandardCharsets.UTF_16LE)

  private val Hash = Hashing.murmur3_128()
}
