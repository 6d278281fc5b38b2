package io.adaptivespark.history

import scala.jdk.CollectionConverters._
import scala.util.Try

import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}
import com.google.common.cache.{Cache, CacheBuilder}
import com.google.common.hash.{HashCode, Hashing}
import org.apache.spark.sql.execution.adaptivespark.Redaction
import org.slf4j.LoggerFactory

import io.adaptivespark.conf.AdaptiveSparkConf
import io.adaptivespark.filter.order.Evidence
import io.adaptivespark.filter.plan.CanonicalForm
import io.adaptivespark.filter.sampling.FilterReport

/** Evidence of predicates for the next query that has them, in any session of the application or from an
  * earlier run.
  *
  * It is a prior, not an order: the policy makes an order of it, and the query's own samples correct it.
  * The evidence is that of the newest query, topped up to `Enough` samples from earlier ones. A query that
  * has just begun, was cancelled or met few rows takes nothing away.
  */
object FilterMemory {
  private val Limit = 1000L

  // Samples of a prior. More would not weigh more: a prior counts as one epoch at most.
  private val Enough = 1000L

  // Queries with the same predicates that may still be running. Earlier ones are kept as a sum.
  private val MostLive = 4
  private val log = LoggerFactory.getLogger(getClass)
  private val json = new ObjectMapper
  private val Version = 2

  /** A predicate as hashes, to be small.
    *
    * @param relative
    *   shape without the relation's name
    * @param exact
    *   form with constants; none for a predicate of an earlier run
    */
  private final case class Predicate(shape: HashCode, relative: HashCode, exact: Option[HashCode])

  /** Evidence of one query, or of several.
    *
    * @param seen
    *   copies the evidence as it is now
    */
  private final class Learned(val predicates: IndexedSeq[Predicate], val seen: () => Evidence)

  // By the shapes of a filter's predicates in any order; the newest query first.
  private val known: Cache[HashCode, List[Learned]] =
    CacheBuilder.newBuilder.maximumSize(Limit).build[HashCode, List[Learned]]()

  /** Remembers a query that is about to run: the next one reads what it has learned by then. */
  def add(report: FilterReport, predicates: IndexedSeq[CanonicalForm]): Unit = synchronized {
    val hashed = predicates.map(hash)
    val before = ofFilter(hashed)
    val newest = new Learned(hashed, () => report.copy().evidence)
    known.put(
      key(hashed),
      newest ::
        (if (before.size < MostLive) before
         else before.dropRight(2) :+ sum(before(MostLive - 2), before.last))
    )
  }

  def clear(): Unit = known.invalidateAll()

  /** Evidence for `predicates`, in their order; none if nothing is known.
    *
    * @param earlier
    *   JSON, `{"version": 2, "predicates": {"<shape>": [rows monitored, rows passed, ns]}}`, or empty
    */
  def prior(predicates: IndexedSeq[CanonicalForm], earlier: String): Option[Evidence] = {
    val hashed = predicates.map(hash)
    val fromNewest = (ofFilter(hashed).iterator ++ ofEarlierRun(earlier)).map(select(_, hashed))
    val total = new Evidence(predicates.size)
    while (total.samples < Enough && fromNewest.hasNext) topUp(total, fromNewest.next())
    Option.when(total.samples > 0)(total)
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
    new Learned(newer.predicates, () => total.copy())
  }

  private def ofFilter(predicates: IndexedSeq[Predicate]): List[Learned] =
    Option(known.getIfPresent(key(predicates))).getOrElse(Nil)

  private def key(predicates: IndexedSeq[Predicate]): HashCode =
    Hashing.combineUnordered(predicates.map(_.shape).asJava)

  private def ofEarlierRun(earlier: String): Option[Learned] =
    if (earlier.isEmpty) None
    else {
      val read = Try(parse(json.readTree(earlier)))
      read.failed.foreach { error =>
        log.warn(
          s"${AdaptiveSparkConf.Prior.name} is not readable and ignored; filters learn anew. ${Redaction(String.valueOf(error.getMessage))}"
        )
      }
      read.toOption.map { known =>
        val seen =
          new Evidence(known.map(_._2(0)).toArray, known.map(_._2(1)).toArray, known.map(_._2(2)).toArray)
        new Learned(known.map { case (shape, _) => hash(CanonicalForm(shape, None)) }, () => seen)
      }
    }

  private def parse(root: JsonNode): IndexedSeq[(String, IndexedSeq[Long])] = {
    require(root.path("version").asInt() == Version, s"It has another version than $Version.")
    root.path("predicates").properties().asScala.toVector.map { entry =>
      val numbers = entry.getValue.elements().asScala.map(_.asLong()).toVector
      require(
        numbers.size == 3 && numbers.forall(_ >= 0) && numbers(1) <= numbers(0),
        s"Wrong numbers: ${entry.getValue}."
      )
      (entry.getKey, numbers)
    }
  }

  /** Evidence for `predicates`: from the same predicate with its constants; else from the one of the same
    * shape; else from the only one that has this shape in another relation, whose name may have changed.
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

  private def hash(predicate: CanonicalForm): Predicate =
    Predicate(hash(predicate.shape), hash(predicate.relative), predicate.exact)

  private def hash(text: String): HashCode = Hash.hashUnencodedChars(text)

  private val Hash = Hashing.murmur3_128()
}
