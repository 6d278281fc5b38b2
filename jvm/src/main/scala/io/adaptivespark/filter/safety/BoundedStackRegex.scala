package io.adaptivespark.filter.safety

import java.util.regex.Pattern

import scala.util.Try

import org.apache.spark.sql.catalyst.util.StringUtils

/** Patterns whose match needs a stack that does not grow with the string.
  *
  * `java.util.regex` recurses for each element of a pattern: the pattern's length is limited. It also
  * recurses for each repetition of a group, or of an atom of varying width: neither may be repeated.
  */
private[adaptivespark] object BoundedStackRegex {
  val MaxLength = 300
  private val MaxRepetitions = 200

  def like(pattern: String, escape: Char): Boolean =
    pattern.length <= MaxLength && Try(StringUtils.escapeLikeRegex(pattern, escape)).isSuccess

  def regex(pattern: String): Boolean = pattern.length <= MaxLength && {
    val countable = CharacterClass.replaceAllIn(pattern, "p")
    val unbounded = Repetition.replaceAllIn(countable, "+")
    Recursive.findFirstIn(unbounded).isEmpty && Group.findFirstIn(pattern).isEmpty &&
    repetitions(countable) <= MaxRepetitions && Try(Pattern.compile(pattern)).isSuccess
  }

  def hasGroup(pattern: String, group: Int): Boolean =
    regex(pattern) && group >= 0 && group <= Pattern.compile(pattern).matcher("").groupCount

  private def repetitions(pattern: String): Int =
    Repetition.findAllMatchIn(pattern).map(m => Option(m.group(2)).getOrElse(m.group(1)).toInt).sum

  private val CharacterClass = """\\[pP]\{\w+\}""".r
  // An atom that is a BMP character here and two chars there recurses up to its bound, so that `{1,}` is none.
  private val Repetition = """\{(\d{1,3})(?:,(\d{1,3}))?\}""".r
  // \Q..\E may stand between a group and what repeats it.
  private val Recursive = """\)[*+]|\{|\\[RXQ]""".r
  // Flags are let in by name: under (?x), blanks may stand there too.
  private val Group = """\(\?(?![:=!]|[imsu]+\))""".r
}
