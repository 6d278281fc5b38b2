package io.adaptivespark.formats.random

import scala.util.Random

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.execution.{ColumnarToRowExec, FilterExec, SparkPlan}

import io.adaptivespark.filter.exec.EqualitySuite
import io.adaptivespark.filter.safety.ExtremeValues
import io.adaptivespark.formats.FormatSuite

/** The trees of [[EqualitySuite]] over the batches of a format's own scan, of a table some of whose rows were deleted
  * after they were written.
  */
trait FormatTrees extends EqualitySuite with FormatSuite {

  /** The statement that makes a table of a name, after which a query follows. */
  protected def create(table: String): String

  /** The columns that the format gives in batches. */
  protected def columns(all: Seq[String]): Seq[String] = all

  private lazy val name = s"$catalog.default.trees"

  private var isMade = false

  private lazy val plan = {
    val selected = ExtremeValues.selected.zip("id" +: ExtremeValues.columns)
    val kept = columns(selected.map(_._2)).toSet
    val list = selected.collect { case (expression, column) if kept(column) => expression }.mkString(", ")
    spark.sql(s"CREATE NAMESPACE IF NOT EXISTS $catalog.default")
    spark.sql(s"${create(name)} AS SELECT $list FROM range(0, ${FormatTrees.Rows}, 1, 1)")
    isMade = true
    spark.sql(s"DELETE FROM $name WHERE id % 4 = 3")
    val found = spark.table(name).queryExecution.sparkPlan
    assert(found.collectLeaves().forall(_.supportsColumnar))
    found
  }

  override protected def fewChunks: Int = 1
  override protected def filled: DataFrame = {
    plan
    spark.table(name)
  }
  override protected lazy val scan: SparkPlan = plan.collectLeaves().head
  override protected def inThread(random: Random): SparkPlan = scan
  override protected lazy val ofFormat: Seq[Expression] = plan.collect { case filter: FilterExec =>
    filter.condition
  }
  override protected lazy val tableSize: Int = ColumnarToRowExec(scan).executeCollect().length

  // Where the format is not there, tests are cancelled and make no table.
  override protected def afterAll(): Unit =
    try if (isMade) spark.sql(s"DROP TABLE $name")
    finally super.afterAll()
}

private object FormatTrees {
  private val Rows = 400
}
