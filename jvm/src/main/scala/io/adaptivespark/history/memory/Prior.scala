package io.adaptivespark.history.memory

import scala.util.Try

import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}
import org.apache.spark.sql.execution.adaptivespark.Redaction

import io.adaptivespark.filter.order.Evidence
import io.adaptivespark.filter.plan.CanonicalForm
import io.adaptivespark.history.bound.Footprint
import io.adaptivespark.shim.JavaCollections._

/** What earlier runs learned of a query's filters and joins.
  *
  * @param forms
  *   predicates, without constants
  * @param evidence
  *   by predicate, in the order of `forms`
  * @param kept
  *   by the signature of a dynamic filter, the share of its scan's rows that it kept, the less of two runs
  */
final private[adaptivespark] class Prior private (
    val forms: IndexedSeq[CanonicalForm],
    seen: IndexedSeq[IndexedSeq[Long]],
    val kept: Map[String, Double]
) {

  /** Bytes on the heap. */
  private[history] def bytes: Long = {
    val predicates = forms.map(form => Footprint.OfObject + Footprint.of(form.shape) + Prior.OfCounts)
    val joins = kept.keysIterator.map(signature => 2 * Footprint.OfObject + Footprint.of(signature))
    Footprint.OfObject + predicates.sum + joins.sum
  }

  /** A copy. */
  def evidence: Evidence = {
    def column(at: Int) = seen.map(_(at)).toArray
    new Evidence(column(0), column(1), column(2))
  }
}

private[adaptivespark] object Prior {
  val none = new Prior(IndexedSeq.empty, IndexedSeq.empty, Map.empty)

  /** Of the JSON below; another one is refused. Exported to the dbt adapter. */
  val Version = 2
  private val RowsOfJoin = 1000

  // a predicate's three numbers
  private val OfCounts = 192L
  private val json = new ObjectMapper

  /** @param text
    *   JSON, `{"version": 2, "predicates": {"<shape>": [rows monitored, rows passed, ns]},
    *   "joins": {"<signature>": <rows kept of 1,000>}}`
    * @throws IllegalArgumentException
    *   where it is something else; what the session hides in texts is hidden in the message
    */
  def parse(text: String): Prior = Try(read(json.readTree(text))).recover { case error =>
    throw new IllegalArgumentException(Redaction(String.valueOf(error.getMessage)))
  }.get

  private def read(root: JsonNode): Prior = {
    check(root.path("version").asInt() == Version, s"It has another version than $Version.")
    val predicates = entries(root, "predicates").map { case (shape, counts) =>
      val numbers = counts.elements().asScala.filter(_.canConvertToLong).map(_.asLong()).toVector
      check(
        counts.size == 3 && numbers.size == 3 && numbers.forall(_ >= 0) && numbers(1) <= numbers(0),
        s"Wrong numbers: $counts."
      )
      CanonicalForm(shape, None) -> numbers
    }
    val joins = entries(root, "joins").map { case (signature, rows) =>
      check(rows.isNumber && rows.asDouble >= 0 && rows.asDouble <= RowsOfJoin, s"Wrong number: $rows.")
      signature -> rows.asDouble / RowsOfJoin
    }
    new Prior(predicates.map(_._1), predicates.map(_._2), joins.toMap)
  }

  private def check(holds: Boolean, otherwise: => String): Unit =
    if (!holds) throw new IllegalArgumentException(otherwise)

  private def entries(root: JsonNode, name: String): Vector[(String, JsonNode)] =
    root.path(name).properties().asScala.toVector.map(entry => entry.getKey -> entry.getValue)
}
