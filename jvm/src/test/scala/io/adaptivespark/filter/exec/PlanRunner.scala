package io.adaptivespark.filter.exec

import scala.collection.mutable.ArrayBuffer
import scala.util.control.NonFatal

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.codegen.{CodeAndComment, CodeGenerator}
import org.apache.spark.sql.execution._
import org.apache.spark.sql.execution.adaptivespark.OneTask

/** A way to run plans that have one partition each. */
sealed trait PlanRunner {

  /** Runs each as a stage of generated code. What does not compile is thrown. */
  def generated(plans: Seq[SparkPlan]): Seq[Outcome]

  /** Runs it outside whole-stage generated code. */
  def interpreted(plan: SparkPlan): Outcome
}

/** As Spark jobs: the rows of one that succeeds, otherwise the error alone. */
object AsJob extends PlanRunner {
  override def generated(plans: Seq[SparkPlan]): Seq[Outcome] =
    plans.map(plan => collected(WholeStageCodegenExec(plan)(codegenStageId = 1).execute()))

  override def interpreted(plan: SparkPlan): Outcome = collected(plan.execute())

  private def collected(rows: RDD[InternalRow]): Outcome =
    try Outcome(rows.map(_.copy()).collect().toSeq, None)
    catch { case NonFatal(error) => Outcome(Nil, Some(Option(error.getCause).getOrElse(error))) }
}

/** In the calling thread: to clean, serialize and schedule a task takes longer than all that is compared. */
object InThread extends PlanRunner {
  private val Entry = "public Object generate(Object[] references)"

  /** As `WholeStageCodegenExec` does it, but for all plans at once: much of what Janino does is
    * for a class, whatever is in it.
    */
  override def generated(plans: Seq[SparkPlan]): Seq[Outcome] = {
    val stages = plans.zipWithIndex.map { case (plan, k) => WholeStageCodegenExec(plan)(codegenStageId = k) }
    val (contexts, sources) = stages.map(_.doCodeGen()).unzip
    val entries = sources.zipWithIndex.map { case (source, k) =>
      require(source.body.contains(Entry), "Spark generates another entry.")
      source.body.replace(Entry, s"private Object generate$k(Object[] references)")
    }
    val chosen =
      plans.indices.map(k => s"case $k: return generate$k((Object[]) references[1]);").mkString("\n")
    val entry =
      s"$Entry {\nswitch ((Integer) references[0]) {\n$chosen\ndefault: throw new IllegalArgumentException();\n}\n}"
    val (compiled, _) =
      CodeGenerator.compile(new CodeAndComment((entries :+ entry).mkString("\n"), Map.empty))
    stages.zip(contexts).zipWithIndex.map { case ((stage, context), k) =>
      val Seq(input) = stage.child.asInstanceOf[CodegenSupport].inputRDDs()
      ofTask {
        val references = Array[Any](k, context.references.toArray)
        val rows = compiled.generate(references).asInstanceOf[BufferedRowIterator]
        rows.init(0, Array(OneTask.rows(input)))
        Iterator.continually(rows).takeWhile(_.hasNext).map(_.next())
      }
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
