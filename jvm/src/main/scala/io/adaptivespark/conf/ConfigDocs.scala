package io.adaptivespark.conf

import org.json4s.JsonAST._

/** The configuration keys as `configs.json`, for the dbt adapter, and as `docs/reference/configs.md`. */
object ConfigDocs {

  def json: JValue = JArray(AdaptiveSparkConf.all.map { key =>
    val of = key.valueType
    JObject(
      "key" -> JString(key.name),
      "type" -> JString(of.name),
      "default" -> scalar(of, key.default),
      "allowed" -> JString(of.allowed),
      "pattern" -> of.pattern.map(JString(_)).getOrElse(JNull),
      "min" -> of.min.map(number).getOrElse(JNull),
      "max" -> of.max.map(number).getOrElse(JNull),
      "values" -> JArray(of.values.map(JString(_)).toList),
      "doc" -> JString(key.doc),
      "model_config" -> key.modelConfig.map(JString(_)).getOrElse(JNull),
      "hint_option" -> (if (AdaptiveSparkConf.ofFilter.contains(key)) JString(key.shortName) else JNull)
    )
  }.toList)

  def markdown: String = {
    val header =
      """# Spark confs
        |
        |Every conf of the extension. Set one with `SET`, in a profile's `server_side_parameters` or in a
        |model's `spark_conf`. If a model config is named, use that for a model. A conf that dbt sets itself,
        |or that is read only where Spark starts, says so. This page is generated from the extension's
        |sources by `make docs`.
        |""".stripMargin
    AdaptiveSparkConf.all.map(section).mkString(header + "\n", "\n", "")
  }

  private def section(key: ConfKey[_]): String = {
    val default = if (key.default.isEmpty) "empty" else s"`${key.default}`"
    s"""## ${key.name}
       |
       || Values | Default | Model config |
       ||---|---|---|
       || ${key.valueType.allowed} | $default | ${key.modelConfig.fold("none")(config => s"`$config`")} |
       |
       |${wrapped(key.doc)}
       |""".stripMargin
  }

  /** In lines of at most 100 characters, as `make lint` wants them. */
  private[adaptivespark] def wrapped(text: String): String =
    text.split(' ').foldLeft(Vector("")) { (lines, word) =>
      if (lines.last.isEmpty) Vector(word)
      else if (lines.last.length + 1 + word.length > 100) lines :+ word
      else lines.init :+ s"${lines.last} $word"
    }.mkString("\n")

  private def scalar(of: ConfType[_], text: String): JValue = of.name match {
    case "boolean" => JBool(text.toBoolean)
    case "int" | "rate" | "double" => number(BigDecimal(text))
    case _ => JString(text)
  }

  private def number(of: BigDecimal): JValue = if (of.isWhole) JInt(of.toBigInt) else JDouble(of.toDouble)
}
