package io.adaptivespark.stats

import scala.jdk.CollectionConverters._
import scala.util.Try

import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}
import com.google.common.cache.{Cache, CacheBuilder}
import org.slf4j.LoggerFactory

import io.adaptivespark.AdaptiveSparkConf
import io.adaptivespark.filter.{Evidence, FilterReport}

/** What predicates learned, for the next query that has them: in any session of the application, or from an earlier run.
  *
  * A prior, not an order: the policy makes the order of it, and the query's own samples correct it.
  */
object FilterMemory {
  private val Limit = 1000L
  private val log = LoggerFactory.getLogger(getClass)
  private val json = new ObjectMapper

  private final case class Learned(report: FilterReport, predicates: IndexedSeq[String])

  // By the predicates without their constants: yesterday's date makes no other filter.
  private val newest: Cache[Seq[String], Learned] =
    CacheBuilder.newBuilder.maximumSize(Limit).build[Seq[String], Learned]()

  /** Remembers a run that is about to execute; what it learns is read when the next one asks. */
  def add(report: FilterReport, predicates: IndexedSeq[String]): Unit =
    newest.put(predicates.map(shape).sorted, Learned(report, predicates))

  def clear(): Unit = newest.invalidateAll()

  /** What is known of `predicates`, in their order.
    *
    * @param earlier
    *   JSON, `{"version": 1, "predicates": {"<sql>": [rows monitored, rows passed, ns]}}`, or empty
    */
  def prior(predicates: IndexedSeq[String], earlier: String): Option[Evidence] =
    ofApplication(predicates).orElse(ofEarlier(predicates, earlier))

  private def ofApplication(predicates: IndexedSeq[String]): Option[Evidence] =
    Option(newest.getIfPresent(predicates.map(shape).sorted)).flatMap { learned =>
      val seen = learned.report.copy().evidence
      Option.when(seen.samples > 0)(seen.select(origins(predicates, learned.predicates)))
    }

  private def ofEarlier(predicates: IndexedSeq[String], earlier: String): Option[Evidence] =
    if (earlier.isEmpty) None
    else {
      val read = Try(parse(json.readTree(earlier)))
      read.failed.foreach { error =>
        log.warn(
          s"${AdaptiveSparkConf.Prior.name} is not readable and ignored; filters learn anew. ${error.getMessage}"
        )
      }
      read.toOption.flatMap { known =>
        val seen =
          new Evidence(known.map(_._2(0)).toArray, known.map(_._2(1)).toArray, known.map(_._2(2)).toArray)
        val from = origins(predicates, known.map(_._1))
        Option.when(from.exists(_ >= 0))(seen.select(from))
      }
    }

  private def parse(root: JsonNode): IndexedSeq[(String, IndexedSeq[Long])] = {
    require(root.path("version").asInt() == 1, "It has another version than 1.")
    root.path("predicates").properties().asScala.toVector.map { entry =>
      val numbers = entry.getValue.elements().asScala.map(_.asLong()).toVector
      require(
        numbers.size == 3 && numbers.forall(_ >= 0) && numbers(1) <= numbers(0),
        s"Wrong numbers: ${entry.getValue}."
      )
      (entry.getKey, numbers)
    }
  }

  /** By predicate, its index among `known`: the same text, or else the same but for constants; -1 where there is none. */
  private def origins(predicates: IndexedSeq[String], known: IndexedSeq[String]): IndexedSeq[Int] = {
    val exact = predicates.map(known.indexOf(_))
    val shapes = known.map(shape)
    predicates.indices.map { i =>
      if (exact(i) >= 0) exact(i)
      else shapes.indices.find(k => shapes(k) == shape(predicates(i)) && !exact.contains(k)).getOrElse(-1)
    }
  }

  private def shape(predicate: String): String = Constant.replaceAllIn(predicate, "?")

  private val Constant = """'(?:[^'\\]|\\.)*+'|\b\d[\w.]*""".r
}
