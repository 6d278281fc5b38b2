package io.adaptivespark.conf

import java.nio.file.{Files, Path, Paths}

import org.json4s.JsonAST._
import org.json4s.jackson.JsonMethods.{pretty, render}

/** Writes what is known of the configuration keys: `ConfigDocs <configs.json> <configs.md>`. */
object ConfigDocs {

  def main(args: Array[String]): Unit = {
    write(Paths.get(args(0)), json + "\n")
    write(Paths.get(args(1)), markdown)
  }

  def json: String = pretty(render(JArray(AdaptiveSparkConf.all.map { key =>
    JObject(
      "key" -> JString(key.name),
      "type" -> JString(key.kind),
      "default" -> value(key.default),
      "min" -> key.min.map(value).getOrElse(JNull),
      "max" -> key.max.map(value).getOrElse(JNull),
      "values" -> JArray(key.values.map(JString(_)).toList),
      "doc" -> JString(key.doc),
      "model_config" -> key.modelConfig.map(JString(_)).getOrElse(JNull),
      "hint_option" -> (if (AdaptiveSparkConf.ofFilter.contains(key)) JString(key.shortName) else JNull)
    )
  }.toList)))

  def markdown: String = {
    val header =
      """# Spark confs
        |
        |Every conf of the extension. Set one with `SET`, in a profile's `server_side_parameters` or in a
        |model's `spark_conf`. If a model config is named, use that for a model. This page is generated
        |from the extension's sources by `make docs`.
        |""".stripMargin
    AdaptiveSparkConf.all.map(section).mkString(header + "\n", "\n", "")
  }

  private def section(key: ConfKey[_]): String = {
    val values =
      if (key.values.nonEmpty) key.values.map(v => s"`$v`").mkString(", ")
      else if (key.kind == "size") "bytes, or as `512k`, `64m`, `1g`"
      else if (key.kind == "names") "a JSON list of names"
      else key.min.map(min =>
        s"${if (key.kind == "rate") "`auto`, " else ""}$min to ${key.max.get}"
      ).getOrElse(key.kind)
    val default = if (key.default.toString.isEmpty) "empty" else s"`${key.default}`"
    s"""## ${key.name}
       |
       || Values | Default | Model config |
       ||---|---|---|
       || $values | $default | ${key.modelConfig.fold("none")(config => s"`$config`")} |
       |
       |${wrapped(key.doc)}
       |""".stripMargin
  }

  /** In lines of at most 100 characters, as `make lint` wants them. */
  private def wrapped(text: String): String =
    text.split(' ').foldLeft(Vector("")) { (lines, word) =>
      if (lines.last.isEmpty) Vector(word)
      else if (lines.last.length + 1 + word.length > 100) lines :+ word
      else lines.init :+ s"${lines.last} $word"
    }.mkString("\n")

  private def value(x: Any): JValue = x match {
    case b: Boolean => JBool(b)
    case Rate(Some(rows)) => JInt(rows)
    case i: Int => JInt(i)
    case l: Long => JInt(l)
    case d: Double => JDouble(d)
    case other => JString(other.toString)
  }

  private def write(path: Path, text: String): Unit = Files.write(path, text.getBytes("UTF-8"))
}
