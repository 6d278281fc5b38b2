package io.adaptivespark.filter.plan

import java.nio.charset.StandardCharsets

import scala.collection.mutable
import scala.util.Try

import com.google.common.hash.{HashCode, Hashing}
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.util.QuotingUtils.quoteIfNeeded
import org.apache.spark.sql.execution.adaptivespark.Redaction
import org.apache.spark.sql.types.DataType

import io.adaptivespark.filter.safety.Droppable

/** A predicate without what differs between runs and targets: its constants, and the catalog and schema of
  * its columns.
  *
  * @param shape
  *   text such as `orders: (amount > ?)`, unique within the filter; redacted as the session redacts plans
  * @param exact
  *   hash of the predicate with its constants, without catalog and schema; none if only the shape is known
  */
final case class CanonicalForm(shape: String, exact: Option[HashCode]) {

  /** The shape without the relation's name. */
  def relative: String = shape.drop(shape.indexOf(CanonicalForm.AfterRelation) match {
    case -1 => 0
    case at => at + CanonicalForm.AfterRelation.length
  })
}

/** Makes canonical forms from expressions. Their SQL would not tell which part is a constant.
  *
  *   - A part without columns is `?`, whatever its type and sign. A list of such parts is also `?`,
  *     whatever its length: `x IN (1, 2)` is `(x = ?)`, since Spark turns a list of one into an equality.
  *   - A column is its name. If two columns of a predicate have one name, the second is `name#2`.
  *   - Names of relations, or their aliases, come first. They tell the columns of one relation from those
  *     of another. A subquery without an alias has none.
  */
object CanonicalForm {
  private val Constant = "?"
  private val AfterRelation = ": "

  /** Characters of a text that the driver keeps. */
  val Longest = 2000
  private val Hash = Hashing.murmur3_128()

  /** Forms of a filter's predicates, in their order. The second of two equal shapes ends in `#2`. */
  def of(predicates: Seq[Expression]): IndexedSeq[CanonicalForm] = {
    val occurrences = mutable.HashMap.empty[String, Int].withDefaultValue(0)
    predicates.map { predicate =>
      val written = new Writing
      val text = written(predicate)
      val named = shown(if (written.relations.isEmpty) text else s"${written.relations}$AfterRelation$text")
      occurrences(named) += 1
      val number = occurrences(named)
      CanonicalForm(
        if (number == 1) named else s"$named #$number",
        Some(hash((named +: written.constants).mkString("\n")))
      )
    }.toIndexedSeq
  }

  /** Text of an expression without its constants and without the names of its relations. */
  def relative(expression: Expression): String = shown((new Writing)(expression))

  // Two long shapes may begin alike, so a cut one ends in a hash. The hash is of the redacted text: it
  // reveals nothing.
  private def shown(text: String): String = {
    val redacted = Redaction(text)
    if (redacted.length <= Longest) redacted
    else {
      val end = Longest - 1 - Hash.bits / 4
      // half a character would come back as another one
      val cut = redacted.take(if (Character.isHighSurrogate(redacted.charAt(end - 1))) end - 1 else end)
      s"$cut…${hash(redacted)}"
    }
  }

  private def hash(text: String): HashCode = Hash.hashString(text, StandardCharsets.UTF_16LE)

  /** Writes one predicate, and collects the relations and constants that it meets. */
  private final class Writing {
    private val ids = mutable.HashMap.empty[String, mutable.ArrayBuffer[ExprId]]
    private val names = mutable.LinkedHashSet.empty[String]
    val constants = mutable.ArrayBuffer.empty[String]

    def relations: String = names.mkString(", ").replace(AfterRelation, " ")

    def apply(expression: Expression): String = expression match {
      case constant if constant.foldable => masked(constant.sql)
      // Its text shows its arguments, which are not its children.
      case replaced: RuntimeReplaceable => apply(replaced.replacement)
      case column: Attribute =>
        if (!MadeUpRelation.isOf(column))
          column.qualifier.lastOption.foreach(name => names += quoteIfNeeded(name))
        numbered(quoteIfNeeded(column.name), column.exprId)
      case variable: NamedLambdaVariable => numbered("lambda", variable.exprId)
      case In(value, list) if list.forall(_.foldable) =>
        equal(value)(masked(list.map(_.sql).mkString("(", ", ", ")")))
      case In(value, list) =>
        val of = apply(value)
        s"($of IN (${list.map(apply).distinct.mkString(", ")}))"
      // A set has its values in another order than the list.
      case InSet(value, set) => equal(value)(masked(set.hashCode.toString))
      // Their texts hold ids of plans and counts of keys, which differ each time.
      case _: PlanExpression[_] | _: Droppable => called(expression, expression.children.map(apply))
      case other => sql(other, other.children.map(apply))
    }

    private def equal(value: Expression)(constant: => String): String = s"(${apply(value)} = $constant)"

    private def masked(constant: String): String = {
      constants += constant
      Constant
    }

    private def numbered(name: String, id: ExprId): String = {
      val known = ids.getOrElseUpdate(name, mutable.ArrayBuffer.empty)
      if (!known.contains(id)) known += id
      if (known.head == id) name else s"$name#${known.indexOf(id) + 1}"
    }

    // Few expressions read more of a child than its type. Those are written as calls.
    private def sql(expression: Expression, children: Seq[String]): String = Try(
      expression.withNewChildren(expression.children.zip(children).map { case (child, text) =>
        Written(text, child.dataType, child.nullable)
      }).sql
    ).getOrElse(called(expression, children))

    private def called(expression: Expression, children: Seq[String]): String =
      s"${expression.prettyName}(${children.mkString(", ")})"
  }

  /** A part of an expression that is text already. */
  private final case class Written(text: String, dataType: DataType, nullable: Boolean)
      extends LeafExpression with Unevaluable {
    override def sql: String = text
    override def toString: String = text
  }
}
