package io.adaptivespark.filter

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.codegen._

import io.adaptivespark.filter.ConjunctCode.Block

/** The generated Java of an adaptive filter over rows: statements that `continue` unless the row passes.
  *
  * A segment stands in it up to three times: in a row, as Spark would write it, for as long as the initial order is in force; as a `switch` for each place
  * of any other order; and as one `switch` that sampled rows go through leaf by leaf. A segment too long for that, or nested, has that last form only and
  * follows its order by [[Jumps]].
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
        if (segment.movable) movable(segment, run.orderings(at).initial, s"$monitor.rowSegment($at)", passes)
        else block(plan.conjuncts(segment.from)).use(truth => s"$passes = $truth;")
      }
      .map(code => s"$code\nif (!$passes) continue;")
      .mkString(s"boolean $passes = true;\n$count\n", "\n", "\n")
  }

  private def movable(segment: Segment, initial: LearnedOrder, monitor: String, passes: String): String = {
    val own = field(classOf[RowMonitor].getName, "rowMonitor", monitor)
    val leaves = plan.conjuncts.slice(segment.from, segment.until)
    val blocks = leaves.map(block)
    val size = blocks.map(_.statements.length).sum
    val sampled = ctx.freshName("sampled")
    val body =
      if (size * 3 > FilterCode.LargestMethod) leafByLeaf(blocks, own, passes, sampled)
      else {
        val inARow = straight(segment.shape, leaves, initial)
        val unrolls = segment.shape.isFlat && size * blocks.size <= FilterCode.LargestMethod
        if (unrolls) {
          val (permuted, adopt) = unrolled(blocks, own, passes)
          s"""
             |if ($sampled) {
             |  ${leafByLeaf(blocks, own, passes, "true")}
             |  $adopt
             |} else if ($own.isInitial()) {
             |  ${inARow(passes)}
             |} else {
             |  $permuted
             |}
           """.stripMargin
        } else
          s"""
             |if (!$sampled && $own.isInitial()) {
             |  ${inARow(passes)}
             |} else {
             |  ${leafByLeaf(blocks, own, passes, sampled)}
             |}
           """.stripMargin
      }
    s"final boolean $sampled = $own.tick();\n$body"
  }

  /** The initial order in a row: as Spark writes it, apart from the order. */
  private def straight(
      shape: Shape,
      leaves: IndexedSeq[Conjunct],
      initial: LearnedOrder
  ): String => String = {
    def expression(child: Int): Expression =
      if (child >= 0) leaves(child).expression
      else {
        val node = shape.nodes(~child)
        val below = initial.orders(~child).map(position => expression(node.children(position)))
        if (node.all) below.reduceLeft(And(_, _)) else below.reduceLeft(Or(_, _))
      }
    val blocks = initial.order.map(shape.nodes.head.children).map { child =>
      block(if (child >= 0) leaves(child) else Conjunct(Seq(expression(child))))
    }
    passes =>
      s"""
         |$passes = false;
         |do {
         |  ${blocks.map(_.use(truth => s"if (!$truth) break;")).mkString("\n")}
         |  $passes = true;
         |} while (false);
       """.stripMargin
  }

  /** One `switch` for each place of the order. Each jumps to the same case row after row, which a processor predicts, where the one of a loop jumps to
    * another each time; but every leaf stands in every place.
    *
    * @return
    *   the code, and the code that adopts a new order
    */
  private def unrolled(blocks: Seq[Block], own: String, passes: String): (String, String) = {
    val places = blocks.indices.map(k => field(CodeGenerator.JAVA_INT, s"place$k", s"$own.nodes()[0][$k]"))
    val steps = places.map(place => s"${switch(blocks, place, passes)}\nif (!$passes) break;").mkString("\n")
    val adopt = places.zipWithIndex.map { case (place, k) => s"$place = $own.nodes()[0][$k];" }.mkString("\n")
    (s"do {\n$steps\n} while (false);", adopt)
  }

  /** One leaf after the other, each standing in the code once. `sampled`: a Java expression of whether every leaf is to see the row, and be timed. */
  private def leafByLeaf(blocks: Seq[Block], own: String, passes: String, sampled: String): String = {
    val (leaf, truth) = (ctx.freshName("leaf"), ctx.freshName("truth"))
    s"""
       |int $leaf = $sampled ? $own.beginSample() : $own.first();
       |do {
       |  boolean $truth = false;
       |  ${switch(blocks, leaf, truth)}
       |  $leaf = $sampled ? $own.record($leaf, $truth) : ($truth ? $own.onTrue() : $own.onFalse())[$leaf];
       |} while ($leaf >= 0);
       |$passes = $leaf == ${Jumps.Pass};
     """.stripMargin
  }

  private def switch(blocks: Seq[Block], on: String, passed: String): String = {
    val cases = blocks.zipWithIndex.map { case (block, k) =>
      s"case $k: ${block.use(truth => s"$passed = $truth;")} break;"
    }
    s"switch ($on) {\n${cases.mkString("\n")}\n}"
  }

  private def block(conjunct: Conjunct): Block = code.block(conjunct, input)

  private def field(javaType: String, name: String, value: String): String =
    ctx.addMutableState(javaType, name, v => s"$v = $value;", forceInline = true)
}

private object FilterCode {

  // Characters of the conjuncts' source in all places together, some six to a byte of bytecode: HotSpot does not compile a method over 8,000 bytes.
  val LargestMethod = 24000
}
