package io.adaptivespark.conf

import java.util.Locale

import org.apache.spark.SparkConf
import org.apache.spark.sql.internal.SQLConf

/** One configuration key: its values, its default and its meaning.
  *
  * It is no `ConfigEntry` of Spark's, though [[AdaptiveSparkConf.register]] makes one of it where Spark
  * allows. A `ConfigEntry` enters a registry of the whole JVM when it is built and throws if the key is
  * there. A server that loads the jar by `spark.jars` has this class in several class loaders, so the second
  * session would fail. A `ConfigEntry` also hides its bounds in a function, from which neither `configs.json`
  * nor the documentation could be made.
  *
  * @param default
  *   as text
  * @param doc
  *   its meaning, in Markdown
  * @param modelConfig
  *   the dbt config that sets it
  */
final case class ConfKey[T](
    name: String,
    valueType: ConfType[T],
    default: String,
    doc: String,
    modelConfig: Option[String] = None
) {

  /** The value in `conf`, or the default.
    *
    * @throws IllegalArgumentException
    *   if the session's text is not accepted, which Spark has checked for registered keys
    */
  def in(conf: SQLConf): T = valueOf(conf.getConfString(name, default))

  /** The value that the application was started with, or the default.
    *
    * @throws IllegalArgumentException
    *   if that text is not accepted
    */
  def in(conf: SparkConf): T = valueOf(conf.get(name, default))

  private def valueOf(text: String): T =
    valueType.parse(text).getOrElse(throw new IllegalArgumentException(s"$name: $text is refused. $remedy"))

  /** True if `text` is a value. */
  def allows(text: String): Boolean = valueType.parse(text).isDefined

  /** Two sentences for a refused text: its bounds, and how to get rid of it. */
  def remedy: String =
    s"It must be ${valueType.allowed}. Leave it out for the default, ${if (default.isEmpty) "empty"
      else default}."

  /** The name without its namespace: the model config's, or one in the same style (`collect_rate`). */
  def shortName: String = modelConfig.getOrElse(
    name.drop(name.lastIndexOf('.') + 1).replaceAll("([A-Z])", "_$1").toLowerCase(Locale.ROOT)
  )
}
