package io.adaptivespark

import java.nio.file.{Files, Path, Paths}

import org.json4s.JsonAST._
import org.json4s.jackson.JsonMethods.{pretty, render}

import io.adaptivespark.aqe.RecordPlanChanges
import io.adaptivespark.conf.ConfigDocs
import io.adaptivespark.filter.run.InitialOrder
import io.adaptivespark.history.Verdict
import io.adaptivespark.history.memory.{Prior, PruningMemory}
import io.adaptivespark.join.rule.DynamicFilterCost
import io.adaptivespark.schema.ColumnDocs

/** Writes what the dbt adapter and the documentation have to know of the extension:
  * `ExportFacts <folder>`, by `make docs`.
  */
object ExportFacts {

  /** Numbers by which both the extension and the adapter decide. */
  private val thresholds = JObject(
    "nested_leaf_cost" -> JDouble(InitialOrder.LeafCost),
    "nested_or_factor" -> JDouble(InitialOrder.OrFactor),
    "rows_misjudged_by" -> JInt(RecordPlanChanges.WrongBy),
    "dynamic_most_kept" -> JDouble(DynamicFilterCost.MostKept),
    "dynamic_patience" -> JInt(PruningMemory.Patience),
    "prior_version" -> JInt(Prior.Version)
  )

  /** Each verdict of a dynamic filter, with the names of its figures. */
  private val verdicts = JArray(Verdict.examples.map { verdict =>
    JObject(
      "code" -> JString(verdict.code),
      "figures" -> JArray(verdict.figuresByName.keys.toList.sorted.map(JString(_))),
      "example" -> JString(verdict.text)
    )
  }.toList)

  def main(args: Array[String]): Unit = {
    val folder = Paths.get(args.head)
    write(folder.resolve("configs.json"), text(ConfigDocs.json))
    write(folder.resolve("configs.md"), ConfigDocs.markdown)
    write(folder.resolve("columns.json"), text(ColumnDocs.json))
    write(folder.resolve("columns.md"), ColumnDocs.markdown)
    write(folder.resolve("thresholds.json"), text(thresholds))
    write(folder.resolve("verdicts.json"), text(verdicts))
  }

  private def text(json: JValue): String = pretty(render(json)) + "\n"

  private def write(path: Path, text: String): Unit = Files.write(path, text.getBytes("UTF-8"))
}
