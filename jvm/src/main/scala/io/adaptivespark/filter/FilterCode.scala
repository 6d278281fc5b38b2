package io.adaptivespark.filter

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.codegen._

/** The generated Java of an adaptive filter over rows: statements that `continue` unless the row passes.
  *
  * A segment's conjuncts stand in it twice: in a row, as Spark would write them, for as long as the written order is the best; and as the cases of a
  * `switch` that a permutation drives, for any other order and for sampled rows. Each conjunct reads the columns that it needs within its own block, so
  * that a row that is out costs no further column.
  */
private[filter] final class FilterCode(
    ctx: CodegenContext,
    plan: ConjunctPlan,
    inputSchema: Seq[Attribute],
    input: Seq[ExprCode]
) {

  def generate(run: FilterRun): String = {
    val started = ctx.addReferenceObj("adaptiveFilter", run, classOf[FilterRun].getName)
    val monitor = ctx.addMutableState(
      classOf[TaskMonitor].getName,
      "adaptiveMonitor",
      v => s"$v = $started.startTask(partitionIndex);",
      forceInline = true
    )
    val passes = ctx.freshName("passes")
    val count = if (plan.segments.head.movable) "" else s"$monitor.count();"
    plan.segments.zipWithIndex
      .map { case (segment, at) =>
        if (segment.movable) movable(segment, at, monitor, passes) else fixed(segment, passes)
      }
      .map(code => s"$code\nif (!$passes) continue;")
      .mkString(s"boolean $passes = true;\n$count\n", "\n", "\n")
  }

  private def fixed(segment: Segment, passes: String): String =
    block(plan.conjuncts(segment.from), value => s"$passes = $value;")

  private def movable(segment: Segment, at: Int, monitor: String, passes: String): String = {
    val own = ctx.addMutableState(
      classOf[SegmentMonitor].getName,
      "segmentMonitor",
      v => s"$v = $monitor.segment($at);",
      forceInline = true
    )
    val (sampled, order, i, position, passed) =
      (name("sampled"), name("order"), name("i"), name("position"), name("passed"))
    val conjuncts = plan.conjuncts.slice(segment.from, segment.until)
    val inARow = conjuncts.map(block(_, value => s"if (!$value) break;")).mkString("\n")
    val cases = conjuncts.zipWithIndex.map { case (c, k) =>
      s"case $k: ${block(c, value => s"$passed = $value;")} break;"
    }.mkString("\n")
    s"""
       |final boolean $sampled = $own.tick();
       |if (!$sampled && $own.isWritten()) {
       |  $passes = false;
       |  do {
       |    $inARow
       |    $passes = true;
       |  } while (false);
       |} else {
       |  if ($sampled) $own.beginSample();
       |  final int[] $order = $own.order();
       |  for (int $i = 0; $i < ${segment.size}; $i++) {
       |    final int $position = $order[$i];
       |    if ($sampled && !$own.mayEvaluate($position)) continue;
       |    boolean $passed = false;
       |    switch ($position) {
       |      $cases
       |    }
       |    if ($sampled) $own.record($position, $passed);
       |    $passes &= $passed;
       |    if (!$passes && !$sampled) break;
       |  }
       |  if ($sampled) $own.endSample();
       |}
     """.stripMargin
  }

  /** A block of its own that evaluates `conjunct` and hands the Java expression of its truth (null counts as false) to `use`. */
  private def block(conjunct: Conjunct, use: String => String): String = {
    // Copies: evaluating a column within this block must not mark it as evaluated for the rest of the code.
    val columns = input.map(code => ExprCode(code.code, code.isNull, code.value))
    ctx.currentVars = columns
    ctx.INPUT_ROW = null
    val bound = conjunct.members.map(BindReferences.bindReference(_, inputSchema))
    val needed = evaluate(columns, AttributeSet(conjunct.members.flatMap(_.references)))
    val shared = ctx.subexpressionEliminationForWholeStageCodegen(if (conjunct.mayThrow) Nil else bound)
    val codes = ctx.withSubExprEliminationExprs(shared.states)(bound.map(e =>
      ExpressionCanonicalizer.execute(e).genCode(ctx)
    ))
    val subexpressions = ctx.evaluateSubExprEliminationState(shared.states.values)
    s"""{
       |  $needed
       |  $subexpressions
       |  ${chain(codes, use)}
       |}""".stripMargin
  }

  private def chain(codes: Seq[ExprCode], use: String => String): String = {
    def truth(code: ExprCode) =
      if (code.isNull == FalseLiteral) s"${code.value}" else s"(!${code.isNull} && ${code.value})"
    if (codes.size == 1) s"${codes.head.code}\n${use(truth(codes.head))}"
    else {
      val all = ctx.freshName("all")
      val steps = codes.map(code => s"${code.code}\nif (!${truth(code)}) break;").mkString("\n")
      s"boolean $all = false;\ndo {\n$steps\n$all = true;\n} while (false);\n${use(all)}"
    }
  }

  private def evaluate(columns: Seq[ExprCode], references: AttributeSet): String =
    columns.zip(inputSchema).collect {
      case (column, attribute) if references.contains(attribute) && column.code.nonEmpty =>
        val code = column.code.toString
        column.code = EmptyBlock
        code
    }.mkString("\n")

  private def name(of: String): String = ctx.freshName(of)
}
