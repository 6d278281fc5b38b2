package io.adaptivespark.conf

import java.util.Locale

import scala.util.Try

import org.apache.spark.sql.internal.SQLConf

/** One configuration key: what it means, what it may be, and its value in a session.
  *
  * `min` and `max` are inclusive; `values` lists what an enumerated key accepts; `modelConfig` is the dbt config that sets it.
  */
final case class ConfKey[T](
    name: String,
    kind: String,
    default: T,
    doc: String,
    min: Option[T] = None,
    max: Option[T] = None,
    values: Seq[String] = Nil,
    modelConfig: Option[String] = None
)(parse: String => T) {

  /** The value in `conf`, or the default. Spark has checked it when it was set (see [[AdaptiveSparkConf.register]]). */
  def in(conf: SQLConf): T = parse(conf.getConfString(name, default.toString).trim)

  /** What it is called where a user writes it without its namespace: the model config, or the name in the same style (`collect_rate`). */
  def shortName: String =
    modelConfig.getOrElse(name.drop(name.lastIndexOf('.') + 1).replaceAll(
      "([A-Z])",
      "_$1"
    ).toLowerCase(Locale.ROOT))

  /** What it may be, as the end of "is not …". */
  def allowed: String =
    if (values.nonEmpty) values.mkString("one of ", ", ", "")
    else if (min.isDefined) s"${if (kind == "rate") "auto or " else ""}in [${min.get}, ${max.get}]"
    else if (kind == "size") "a number of bytes such as 512k, 256m or 1g"
    else if (kind == "names") "a JSON list of names"
    else s"a $kind"

  /** Whether it may be `text`. */
  def allows(text: String): Boolean = Try(parse(text.trim)).toOption.exists { value =>
    (values.isEmpty || values.contains(value.toString)) &&
    min.forall(ConfKey.compare(_, value) <= 0) && max.forall(ConfKey.compare(_, value) >= 0)
  }
}

object ConfKey {
  private def compare[T](a: T, b: T): Int = (a, b) match {
    case (Rate(Some(x)), Rate(Some(y))) => Integer.compare(x, y)
    case (x: Int, y: Int) => Integer.compare(x, y)
    case (x: Long, y: Long) => java.lang.Long.compare(x, y)
    case (x: Double, y: Double) => java.lang.Double.compare(x, y) // NaN is above every bound
    case _ => 0
  }
}
