package io.adaptivespark.filter

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.codegen._

import io.adaptivespark.filter.ConjunctCode.Block

/** The generated Java of an adaptive filter over rows: statements that `continue` unless the row passes.
  *
  * A segment's conjuncts stand in it several times: in a row, as Spark would write them, for as long as the written order is in force; as the cases of
  * a `switch` for each place of any other order; and as those of a loop for sampled rows.
  */
private[filter] final class FilterCode(
    ctx: CodegenContext,
    plan: ConjunctPlan,
    shareSubexpressions: Boolean,
    inputSchema: Seq[Attribute],
    input: Seq[ExprCode]
) {

  private val code = new ConjunctCode(ctx, shareSubexpressions, inputSchema)

  def generate(run: FilterRun): String = {
    val started = ctx.addReferenceObj("adaptiveFilter", run, classOf[FilterRun].getName)
    val monitor =
      field(classOf[TaskMonitor].getName, "adaptiveMonitor", s"$started.startTask(partitionIndex)")
    val passes = ctx.freshName("passes")
    val count = if (plan.segments.head.movable) "" else s"$monitor.count(1);"
    plan.segments.zipWithIndex
      .map { case (segment, at) =>
        if (segment.movable) movable(segment, at, monitor, passes) else fixed(segment, passes)
      }
      .map(code => s"$code\nif (!$passes) continue;")
      .mkString(s"boolean $passes = true;\n$count\n", "\n", "\n")
  }

  private def fixed(segment: Segment, passes: String): String =
    block(plan.conjuncts(segment.from)).use(truth => s"$passes = $truth;")

  private def movable(segment: Segment, at: Int, monitor: String, passes: String): String = {
    val own = field(classOf[RowMonitor].getName, "rowMonitor", s"$monitor.rowSegment($at)")
    val blocks = plan.conjuncts.slice(segment.from, segment.until).map(block)
    val sampled = name("sampled")
    val size = blocks.map(_.statements.length).sum
    val body =
      if (size * 3 > FilterCode.LargestMethod) inOnePlace(blocks, own, passes, sampled)
      else {
        val (permuted, adopt) =
          if (size * blocks.size <= FilterCode.LargestMethod) unrolled(blocks, own, passes)
          else (loop(blocks, own, passes, sampled = "false"), "")
        s"""
           |if ($sampled) {
           |  $own.beginSample();
           |  ${loop(blocks, own, passes, sampled = "true")}
           |  $own.endSample();
           |  $adopt
           |} else if ($own.isWritten()) {
           |  $passes = false;
           |  do {
           |    ${blocks.map(_.use(truth => s"if (!$truth) break;")).mkString("\n")}
           |    $passes = true;
           |  } while (false);
           |} else {
           |  $permuted
           |}
         """.stripMargin
      }
    s"final boolean $sampled = $own.tick();\n$body"
  }

  /** The form of a long filter: each conjunct stands in it once, as in Spark's, so that HotSpot compiles it where it would compile Spark's. */
  private def inOnePlace(blocks: Seq[Block], own: String, passes: String, sampled: String): String =
    s"""
       |if ($sampled) $own.beginSample();
       |${loop(blocks, own, passes, sampled)}
       |if ($sampled) $own.endSample();
     """.stripMargin

  /** One `switch` for each place of the order. Each jumps to the same case row after row, which a processor predicts, where the one of a loop jumps to
    * another each time; but every conjunct stands in every place.
    *
    * @return
    *   the code, and the code that adopts a new order
    */
  private def unrolled(blocks: Seq[Block], own: String, passes: String): (String, String) = {
    val places = blocks.indices.map(k => field(CodeGenerator.JAVA_INT, s"place$k", s"$own.order()[$k]"))
    val steps = places.map(place => s"${switch(blocks, place, passes)}\nif (!$passes) break;").mkString("\n")
    val adopt = places.zipWithIndex.map { case (place, k) => s"$place = $own.order()[$k];" }.mkString("\n")
    (s"do {\n$steps\n} while (false);", adopt)
  }

  /** A loop over the order. `sampled`: a Java expression of whether every conjunct is to see the row, and be timed. */
  private def loop(blocks: Seq[Block], own: String, passes: String, sampled: String): String = {
    val (order, i, position, passed) = (name("order"), name("i"), name("position"), name("passed"))
    s"""
       |final int[] $order = $own.order();
       |for (int $i = 0; $i < ${blocks.size}; $i++) {
       |  final int $position = $order[$i];
       |  if ($sampled && !$own.mayEvaluate($position)) continue;
       |  boolean $passed = false;
       |  ${switch(blocks, position, passed)}
       |  if ($sampled) $own.record($position, $passed);
       |  $passes &= $passed;
       |  if (!$sampled && !$passed) break;
       |}
     """.stripMargin
  }

  private def switch(blocks: Seq[Block], on: String, passed: String): String = {
    val cases = blocks.zipWithIndex.map { case (block, k) =>
      s"case $k: ${block.use(truth => s"$passed = $truth;")} break;"
    }
    s"switch ($on) {\n${cases.mkString("\n")}\n}"
  }

  private def field(javaType: String, name: String, value: String): String =
    ctx.addMutableState(javaType, name, v => s"$v = $value;", forceInline = true)

  private def block(conjunct: Conjunct): Block = code.block(conjunct, input)

  private def name(of: String): String = ctx.freshName(of)
}

private object FilterCode {

  // Characters of the conjuncts' source in all places together, some six to a byte of bytecode: HotSpot does not compile a method over 8,000 bytes.
  val LargestMethod = 24000
}
