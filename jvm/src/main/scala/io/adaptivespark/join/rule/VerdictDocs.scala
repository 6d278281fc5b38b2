package io.adaptivespark.join.rule

import java.nio.file.{Files, Paths}

import org.json4s.JsonAST._
import org.json4s.jackson.JsonMethods.{pretty, render}

import io.adaptivespark.history.{PruningMemory, Verdict}

/** Writes what dbt's adapter needs to know of dynamic filters: `VerdictDocs <dynamic_filters.json>`. */
object VerdictDocs {
  def main(args: Array[String]): Unit = Files.writeString(Paths.get(args(0)), json + "\n")

  def json: String = pretty(render(JObject(
    "most_kept" -> JDouble(DynamicFilterCost.MostKept),
    "patience" -> JInt(PruningMemory.Patience),
    "verdicts" -> JArray(Verdict.examples.map { verdict =>
      JObject(
        "code" -> JString(verdict.code),
        "figures" -> JArray(verdict.figuresByName.keys.toList.sorted.map(JString(_))),
        "example" -> JString(verdict.text)
      )
    }.toList)
  )))
}
