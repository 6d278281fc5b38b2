package io.adaptivespark.hint

import scala.util.matching.Regex

import org.apache.spark.sql.catalyst.parser.{ParseException, ParserInterface}

import io.adaptivespark.shim.ParserShim

/** A sentence with the remedy for a hint of ours that Spark's grammar refuses, such as `FILTER_ORDER()` or
  * `ADAPTIVE_FILTER(momentum=0.5)`. Spark only says where the syntax error is.
  */
private[adaptivespark] object ExplainHintSyntax {
  def apply(parser: ParserInterface): ParserInterface = new ParserShim(parser) {
    override protected def asking[T](sql: String)(parse: => T): T =
      try parse
      catch {
        case error: ParseException =>
          throw sentence(sql, error).fold[Throwable](error)(new IllegalArgumentException(_, error))
      }
  }

  private val HintComment = """(?s)/\*\+.*?\*/""".r
  private val Name = """\w+""".r
  private val Option_ = """(?s)\s*(\w+)\s*(?:=>|=|:)\s*['"]?([^'",]*?)['"]?\s*""".r

  private def sentence(sql: String, error: ParseException): Option[String] = for {
    // Spark replaces variables before it parses; an error in its search for parameters comes without a text
    text <- error.command.orElse(Some(sql))
    at <- offset(text, error)
    comment <- HintComment.findAllMatchIn(text).find(comment => comment.start < at && at < comment.end)
    sentence <- Name.findAllMatchIn(text.substring(0, comment.end)).filter(name =>
      name.start >= comment.start && name.start <= at
    ).flatMap(name => sentence(name, text.substring(name.end, comment.end - 2), at - name.end)).take(
      1
    ).toList.headOption
  } yield sentence

  /** @param after
    *   the rest of the hint's comment
    * @param at
    *   where in it the error is; negative within the name
    */
  private def sentence(name: Regex.Match, after: String, at: Int): Option[String] =
    arguments(after, at).flatMap { arguments =>
      HintNames.misspelling(name.matched).orElse(
        HintNames.all.find(_.equalsIgnoreCase(name.matched)).map(refusal(_, arguments.trim))
      )
    }

  /** What stands between a hint's parentheses, or behind a hint without any; none if the error is not in it. */
  private def arguments(after: String, at: Int): Option[String] = {
    val opening = after.indexWhere(!_.isWhitespace)
    if (opening < 0 || after(opening) == ',') None
    else if (after(opening) != '(')
      Some(after.takeWhile(_ != ',')).filterNot(_ => after.take(at).contains(','))
    else {
      val end = closing(after, opening)
      if (opening <= at && at <= end) Some(after.substring(opening + 1, end)) else None
    }
  }

  /** Where the parenthesis at `opening` is closed; the text's end if it is not. */
  private def closing(text: String, opening: Int): Int = {
    var depth = 0
    var quote: Option[Char] = None
    val found = text.indices.drop(opening).find { i =>
      val character = text(i)
      if (quote.nonEmpty) { if (quote.contains(character)) quote = None }
      else if ("'\"`".indexOf(character.toInt) >= 0) quote = Some(character)
      else if (character == '(') depth += 1
      else if (character == ')') depth -= 1
      depth == 0
    }
    found.getOrElse(text.length)
  }

  private def refusal(hint: String, arguments: String): String = (hint, arguments) match {
    case (FilterHint.On, "") =>
      s"$hint() is no SQL. Write it without parentheses, or with options as $hint('momentum=0.5'). ${FilterOptions.known}"
    case (FilterHint.On, _) => arguments.split(',').headOption match {
        case Some(Option_(name, value)) if value.nonEmpty =>
          s"$hint: ${HintError.shown(s"$name=$value")} is not a quoted option. Write it as '$name=$value'. ${FilterOptions.known}"
        case _ => unread(hint, arguments, s"Write options as $hint('momentum=0.5'). ${FilterOptions.known}")
      }
    case (FilterHint.Off, _) => s"$hint takes no arguments and no parentheses. Write /*+ $hint */."
    case (FilterHint.Order, "") => s"$hint names no column. Write it as $hint(column, …)."
    case (FilterHint.Order, _) => unread(hint, arguments, s"Write it as $hint(column, …). $quoting")
    case (_, "") =>
      s"$hint() is no SQL. Write it as $hint(relation, …), or without parentheses for all relations."
    case _ => unread(hint, arguments, s"Write it as $hint(relation, …). $quoting")
  }

  private def quoting: String = "A name that is not of letters, digits and _ stands in backquotes."

  private def unread(hint: String, arguments: String, remedy: String): String =
    s"$hint: ${HintError.shown(arguments)} is no SQL. $remedy"

  /** The place of the error in the text: Spark counts lines from 1, and characters, not halves of them, from 0. */
  private def offset(text: String, error: ParseException): Option[Int] = for {
    line <- error.start.line
    column <- error.start.startPosition
    before = text.linesWithSeparators.take(line - 1).map(_.length).sum
    if before <= text.length && text.codePointCount(before, text.length) >= column
  } yield text.offsetByCodePoints(before, column)
}
