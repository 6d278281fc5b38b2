package io.adaptivespark.hint

import java.util.Locale

import org.apache.spark.sql.catalyst.analysis.UnresolvedStar
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, UnresolvedHint}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.TreePattern.UNRESOLVED_HINT
import org.apache.spark.sql.types.StringType
import org.slf4j.LoggerFactory

import io.adaptivespark.conf.AdaptiveSparkConf

/** Removes this extension's hints from the plan and puts them on the conjuncts and relations of their
  * SELECT.
  *
  * It works from the top. Hints of one SELECT stand above each other and are read together, once the SELECT
  * itself is resolved.
  */
object ResolveFilterHints extends Rule[LogicalPlan] with PredicateHelper {
  private val user = LoggerFactory.getLogger("io.adaptivespark.hint.FilterHint")

  override def apply(plan: LogicalPlan): LogicalPlan =
    plan.resolveOperatorsDownWithPruning(_.containsPattern(UNRESOLVED_HINT)) {
      case Hints(hints, body) if body.resolved =>
        refuseDataFrame(hints.head, body)
        val scope = new SelectScope(body)
        val (dynamic, adaptive) = hints.partition(hint => DynamicFilterHint.names.contains(nameOf(hint)))
        if (adaptive.nonEmpty) place(adaptive, scope)
        if (dynamic.nonEmpty)
          DynamicFilterHint.put(
            dynamic.map(hint => nameOf(hint) -> hint.parameters.map(relationParts(_, nameOf(hint)))),
            scope,
            conf.resolver
          )
        body
    }

  private object Hints {
    def unapply(plan: LogicalPlan): Option[(Seq[UnresolvedHint], LogicalPlan)] = plan match {
      case hint: UnresolvedHint if HintNames.all.contains(nameOf(hint)) =>
        val (more, body) = unapply(hint.child).getOrElse((Nil, hint.child))
        Some((hint +: more, body))
      case _ => None
    }
  }

  private def nameOf(hint: UnresolvedHint): String = hint.name.toUpperCase(Locale.ROOT)

  // The plan is that of the DataFrame itself, which would get the hint too.
  private def refuseDataFrame(hint: UnresolvedHint, body: LogicalPlan): Unit =
    if (body.analyzed) throw new IllegalArgumentException(
      s"""${nameOf(
          hint
        )} is a hint of SQL and has no form for DataFrames. Write it after SELECT: spark.sql("SELECT /*+ ${nameOf(
          hint
        )} */ …")."""
    )

  private def place(hints: Seq[UnresolvedHint], scope: SelectScope): Unit = {
    refuseEmptyOrder(hints, scope)
    val hint = hints.map(hintOf).reduceLeft(FilterHint.both)
    val columns = hints.find(nameOf(_) == FilterHint.Order).toSeq.flatMap(columnsOf(_, scope))
    val conjuncts = scope.conditions.map(splitConjunctivePredicates)
    warnWhereIdle(hint, hints.map(nameOf), conjuncts, columns)
    conjuncts.flatten.foreach { conjunct =>
      val used = columns.indexWhere { case (_, targets) => targets.exists(uses(conjunct, _)) }
      HintedConjunct.put(conjunct, hint, if (used < 0) columns.size else used)
    }
  }

  private def refuseEmptyOrder(hints: Seq[UnresolvedHint], scope: SelectScope): Unit =
    if (hints.exists(hint => nameOf(hint) == FilterHint.Order && hint.parameters.isEmpty))
      throw new IllegalArgumentException(
        s"${FilterHint.Order} names no column. Write it as ${FilterHint.Order}(column, …). ${listed(scope.columns)}"
      )

  private def hintOf(hint: UnresolvedHint): FilterHint = nameOf(hint) match {
    case FilterHint.Order => FilterHint(order = hint.parameters.map(nameParts(_).mkString(".")))
    case FilterHint.Off =>
      hint.parameters.headOption.foreach(argument =>
        HintError.raise(
          FilterHint.Off,
          textOf(argument),
          s"is one argument too many: it takes none. Write /*+ ${FilterHint.Off} */."
        )
      )
      FilterHint(enabled = Some(false))
    case _ =>
      hint.parameters.map(optionOf).map(option => FilterHint(options = Map(option)))
        .foldLeft(FilterHint(enabled = Some(true)))(FilterHint.both)
  }

  private def optionOf(argument: Any): (String, String) = argument match {
    case Literal(text, _: StringType) if text != null => FilterOptions.parse(text.toString)
    case other =>
      HintError.raise(
        FilterHint.On,
        textOf(other),
        s"is not a quoted option. Write it as 'momentum=0.5'. ${FilterOptions.known}"
      )
  }

  /** Columns of `FILTER_ORDER` as written, each with the expressions that it stands for. */
  private def columnsOf(hint: UnresolvedHint, scope: SelectScope): Seq[(String, Seq[Expression])] =
    hint.parameters.map { argument =>
      val parts = nameParts(argument)
      val written = parts.mkString(".")
      val found = scope.resolve(parts, conf.resolver)
      if (found.isEmpty) HintError.raise(
        FilterHint.Order,
        written,
        s"is not a column of this SELECT's FROM. ${listed(scope.columns)}"
      )
      (written, found)
    }

  private def nameParts(argument: Any): Seq[String] = nameParts(argument, FilterHint.Order, "column")
  private def relationParts(argument: Any, hint: String): Seq[String] = nameParts(argument, hint, "relation")

  private def nameParts(argument: Any, hint: String, what: String): Seq[String] = argument match {
    case name: ColumnName => name.nameParts
    case other =>
      HintError.raise(
        hint,
        textOf(other),
        s"is not a $what's name. Write it as $hint($what, …), without quotes."
      )
  }

  private def listed(columns: Seq[String]): String =
    if (columns.size <= 20) s"Columns: ${columns.mkString(", ")}."
    else s"Columns: ${columns.take(20).mkString(", ")}, …"

  private def textOf(argument: Any): String = argument match {
    case _: UnresolvedStar => "*"
    case literal: Literal => literal.toString
    case expression: Expression => scala.util.Try(expression.sql).getOrElse(expression.toString)
    case other => other.toString
  }

  private def uses(conjunct: Expression, column: Expression): Boolean =
    conjunct.exists(_.semanticEquals(column))

  /** Warns of a hint that is right but has nothing to act on. */
  private def warnWhereIdle(
      hint: FilterHint,
      names: Seq[String],
      conjuncts: Seq[Seq[Expression]],
      columns: Seq[(String, Seq[Expression])]
  ): Unit = {
    val all = names.distinct.mkString(", ")
    val needed = if (hint.enabled.contains(false)) 1 else 2
    if (!conjuncts.exists(of => of.size >= needed || of.exists(_.exists(_.isInstanceOf[Or]))))
      user.warn(s"$all has no effect: its SELECT has no WHERE, HAVING or ON with conjuncts to order.")
    else columns.filterNot { case (_, targets) =>
      conjuncts.flatten.exists(c => targets.exists(uses(c, _)))
    }.foreach {
      case (column, _) => user.warn(s"${FilterHint.Order}: no conjunct of its SELECT uses $column.")
    }
    if (hint.order.nonEmpty && !hint.isEnabled(AdaptiveSparkConf.Enabled.in(conf)))
      user.warn(
        s"${FilterHint.Order} has no effect: ${AdaptiveSparkConf.Enabled.name} is false. Add ${FilterHint.On} to the hint, or SET it to true."
      )
  }
}
