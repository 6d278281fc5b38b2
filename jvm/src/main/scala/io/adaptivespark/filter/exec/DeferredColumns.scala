package io.adaptivespark.filter.exec

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.optimizer.BuildLeft
import org.apache.spark.sql.execution._
import org.apache.spark.sql.execution.aggregate.BaseAggregateExec
import org.apache.spark.sql.execution.joins.{HashJoin, SortMergeJoinExec}

/** Columns that generated code computes late: Spark computes an expression of a projection below where its
  * column is first used.
  *
  * Such a column may throw, and each conjunct that uses it costs the whole expression.
  */
private[adaptivespark] object DeferredColumns {

  /** True if all of `columns` in the output of `plan` are computed before the filter; false if that is
    * unknown.
    */
  def none(columns: AttributeSet, plan: SparkPlan): Boolean = columns.isEmpty ||
    (plan match {
      case project: ProjectExec => passed(columns, project.projectList).exists(none(_, project.child))
      case aggregate: BaseAggregateExec => passed(columns, aggregate.resultExpressions).isDefined
      case filter @ (_: FilterExec | _: AdaptiveFilterExec) => none(columns, filter.children.head)
      case join: HashJoin =>
        val streamed = if (join.buildSide == BuildLeft) join.right else join.left
        none(columns.intersect(streamed.outputSet), streamed)
      case _: LeafExecNode | _: ColumnarToRowTransition | _: AdaptiveColumnarFilterExec | _: SortExec | _: SortMergeJoinExec =>
        true
      case other => !other.isInstanceOf[CodegenSupport]
    })

  /** `columns` below a projection that only passes them on; none if it computes one of them. */
  private def passed(columns: AttributeSet, projection: Seq[NamedExpression]): Option[AttributeSet] = {
    val origins = projection.filter(columns.contains).map {
      case column: Attribute => Some(column)
      case Alias(column: Attribute, _) => Some(column)
      case _ => None
    }
    if (origins.forall(_.isDefined)) Some(AttributeSet(origins.flatten)) else None
  }
}
