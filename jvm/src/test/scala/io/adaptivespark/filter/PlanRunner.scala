package io.adaptivespark.filter

import scala.collection.mutable.ArrayBuffer
import scala.util.control.NonFatal

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.codegen.CodeGenerator
import org.apache.spark.sql.execution._
import org.apache.spark.sql.execution.adaptivespark.OneTask

/** A way to run a plan that has one partition. */
sealed trait PlanRunner {

  /** Runs it as a stage of generated code. What does not compile is thrown. */
  def generated(plan: SparkPlan): Outcome

  /** Runs it outside whole-stage generated code. */
  def interpreted(plan: SparkPlan): Outcome

  protected def stage(plan: SparkPlan): WholeStageCodegenExec =
    WholeStageCodegenExec(plan)(codegenStageId = 1)
}

/** As a Spark job: the rows if it succeeds, otherwise the error alone. */
object AsJob extends PlanRunner {
  override def generated(plan: SparkPlan): Outcome = collected(stage(plan).execute())
  override def interpreted(plan: SparkPlan): Outcome = collected(plan.execute())

  private def collected(rows: RDD[InternalRow]): Outcome =
    try Outcome(rows.map(_.copy()).collect().toSeq, None)
    catch { case NonFatal(error) => Outcome(Nil, Some(Option(error.getCause).getOrElse(error))) }
}

/** In the calling thread, which a job's scheduling and serialization would keep waiting for a hundred times as long. */
object InThread extends PlanRunner {

  // As WholeStageCodegenExec does it, without its RDD.
  override def generated(plan: SparkPlan): Outcome = {
    val whole = stage(plan)
    val (context, source) = whole.doCodeGen()
    val (compiled, _) = CodeGenerator.compile(source)
    val Seq(input) = whole.child.asInstanceOf[CodegenSupport].inputRDDs()
    ofTask {
      val rows = compiled.generate(context.references.toArray).asInstanceOf[BufferedRowIterator]
      rows.init(0, Array(OneTask.rows(input)))
      Iterator.continually(rows).takeWhile(_.hasNext).map(_.next())
    }
  }

  override def interpreted(plan: SparkPlan): Outcome = {
    val rows = plan.execute()
    ofTask(OneTask.rows(rows))
  }

  private def ofTask(rows: => Iterator[InternalRow]): Outcome = {
    val seen = ArrayBuffer.empty[InternalRow]
    val error =
      try {
        OneTask(rows.foreach(seen += _.copy()))
        None
      } catch { case error @ (NonFatal(_) | _: StackOverflowError) => Some(error) }
    Outcome(seen.toSeq, error)
  }
}
