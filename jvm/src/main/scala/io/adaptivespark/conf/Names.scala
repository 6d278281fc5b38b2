package io.adaptivespark.conf

import org.json4s.JsonAST.{JArray, JString}
import org.json4s.jackson.JsonMethods.{parse => parseJson}

/** Names of columns, written as a JSON list; `of` is None where the text is empty, which is all of them. */
final case class Names(of: Option[Seq[String]], text: String) {
  override def toString: String = text
}

object Names {
  def parse(text: String): Names = Names(
    Option.when(text.nonEmpty)(parseJson(text) match {
      case JArray(names) => names.map {
          case JString(name) => name
          case other => throw new IllegalArgumentException(s"$other is not a name")
        }
      case other => throw new IllegalArgumentException(s"$other is not a list")
    }),
    text
  )
}
