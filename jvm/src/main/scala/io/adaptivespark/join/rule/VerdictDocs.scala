package io.adaptivespark.join.rule

import org.json4s.JsonAST._

import io.adaptivespark.history.{PruningMemory, Verdict}

/** Facts of dynamic filters that the dbt adapter reads, as `dynamic_filters.json`: the verdicts and two thresholds. */
object VerdictDocs {
  def json: JValue = JObject(
    "most_kept" -> JDouble(DynamicFilterCost.MostKept),
    "patience" -> JInt(PruningMemory.Patience),
    "verdicts" -> JArray(Verdict.examples.map { verdict =>
      JObject(
        "code" -> JString(verdict.code),
        "figures" -> JArray(verdict.figuresByName.keys.toList.sorted.map(JString(_))),
        "example" -> JString(verdict.text)
      )
    }.toList)
  )
}
