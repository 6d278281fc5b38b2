package io.adaptivespark.filter.codegen

import scala.collection.mutable

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.codegen._
import org.apache.spark.sql.types.DataType

import io.adaptivespark.filter.codegen.ConjunctCodegen.Block
import io.adaptivespark.filter.order.{BranchTargets, LearnedOrder, PredicateShape}
import io.adaptivespark.filter.plan.{Conjunct, ConjunctPlan, Segment}
import io.adaptivespark.filter.run.FilterRun
import io.adaptivespark.filter.sampling.{RowMonitor, TaskMonitor}

/** Generates the Java of an adaptive filter over rows: statements that `continue` unless the row passes.
  *
  * In the child's loop a segment is inlined in its initial order, as Spark would write it. Sampled rows run
  * in a method of their own, and so do all rows under another order. HotSpot compiles that method by
  * itself: it makes the loop no longer, and a change of order does not make HotSpot compile the loop again.
  */
private[adaptivespark] final class RowFilterCodegen(
    ctx: CodegenContext,
    plan: ConjunctPlan,
    shareSubexpressions: Boolean,
    inputSchema: Seq[Attribute],
    input: Seq[ExprCode]
) {
  private val code = new ConjunctCodegen(ctx, shareSubexpressions, inputSchema)

  private val counters = mutable.ArrayBuffer.empty[RowFilterCodegen.Counter]

  /** Puts `loop`, which holds the filter's statements, between statements that keep its counters in local
    * variables: as fields they would cost each row some nanoseconds. If the child has moved the statements
    * to another method, they become fields.
    */
  def around(loop: String): String = {
    val (local, elsewhere) = counters.toVector.partition(counter => loop.contains(counter.name))
    elsewhere.foreach(c => ctx.addMutableState(c.javaType, c.name, useFreshName = false, forceInline = true))
    s"""
       |${local.map(c => s"${c.javaType} ${c.name};").mkString("\n")}
       |${counters.map(_.begin).mkString("\n")}
       |try {
       |  $loop
       |} finally {
       |  ${counters.map(_.end).mkString("\n")}
       |}
     """.stripMargin
  }

  /** Statement that counts a row that passes. */
  def countPassing(metric: String): String = {
    val passed = ctx.freshName("passed")
    counters +=
      RowFilterCodegen.Counter(CodeGenerator.JAVA_LONG, passed, s"$passed = 0L;", s"$metric.add($passed);")
    s"$passed++;"
  }

  def generate(run: FilterRun): String = {
    val started = ctx.addReferenceObj("adaptiveFilter", run, classOf[FilterRun].getName)
    val monitor =
      code.field(classOf[TaskMonitor].getName, "adaptiveMonitor", s"$started.startTask(partitionIndex)")
    val count = if (plan.segments.head.movable) "" else s"$monitor.count(1);"
    plan.segments.zipWithIndex.map { case (segment, at) =>
      if (segment.movable) movable(segment, run.orderings(at).initial, s"$monitor.rowSegment($at)")
      else code.block(plan.conjuncts(segment.from), input).use(goOnIf)
    }.mkString(s"$count\n", "\n", "\n")
  }

  private def goOnIf(truth: String): String = s"if (!$truth) continue;"

  private def movable(segment: Segment, initial: LearnedOrder, monitor: String): String = {
    val own = code.field(classOf[RowMonitor].getName, "rowMonitor", monitor)
    val leaves = plan.conjuncts.slice(segment.from, segment.until)
    val countdown = ctx.freshName("countdown")
    counters += RowFilterCodegen.Counter(
      CodeGenerator.JAVA_INT,
      countdown,
      s"$countdown = $own.countdown();",
      s"$own.countDownTo($countdown);"
    )
    val arrives = s"--$countdown <= 0"
    val inARow = straight(segment.shape, leaves, initial)
    if (inARow.map(_.statements.length).sum > RowFilterCodegen.LargestMethod)
      aside(segment.shape, leaves, own, s"$arrives && $own.isSample()").use { truth =>
        s"if ($countdown <= 0) $countdown = $own.countdown();\n${goOnIf(truth)}"
      }
    else {
      val elsewhere = aside(segment.shape, leaves, own, s"$own.isSample()")
      s"""
         |if ($arrives) ${elsewhere.use(truth => s"$countdown = $own.countdown();\n${goOnIf(truth)}")}
         |else {
         |  ${inARow.map(_.use(goOnIf)).mkString("\n")}
         |}
       """.stripMargin
    }
  }

  /** The root's children in their initial order, each as Spark would write it. */
  private def straight(
      shape: PredicateShape,
      leaves: IndexedSeq[Conjunct],
      initial: LearnedOrder
  ): Seq[Block] = {
    def expression(child: Int): Expression =
      if (child >= 0) leaves(child).expression
      else {
        val node = shape.nodes(~child)
        val below = initial.orders(~child).map(position => expression(node.children(position)))
        if (node.isConjunction) below.reduceLeft(And(_, _)) else below.reduceLeft(Or(_, _))
      }
    initial.order.map(shape.nodes.head.children).map { child =>
      code.block(if (child >= 0) leaves(child) else Conjunct(Seq(expression(child))), input)
    }
  }

  /** Statements that evaluate the columns of a segment, and its leaves by the order in force in a method of
    * their own.
    *
    * @param isSample
    *   Java expression that is true if every leaf evaluates the row and is timed
    */
  private def aside(
      shape: PredicateShape,
      leaves: IndexedSeq[Conjunct],
      own: String,
      isSample: String
  ): Block = {
    val used = AttributeSet(leaves.flatMap(_.expression.references))
    // By column, the parameter that it is passed as; none if no leaf uses it.
    val passed = input.zip(inputSchema).map { case (column, of) =>
      if (used.contains(of)) Some(RowFilterCodegen.Parameter(ctx, column, of.dataType)) else None
    }
    val parameters = passed.flatten
    val slots = 1 + parameters.map(_.slots).sum
    val (sampled, passes) = (ctx.freshName("sampled"), ctx.freshName("passes"))
    if (slots > RowFilterCodegen.MostSlots)
      Block(
        s"""
           |final boolean $sampled = $isSample;
           |boolean $passes;
           |${leafByLeaf(leaves.map(code.block(_, input)), own, passes, sampled)}
         """.stripMargin,
        passes
      )
    else {
      val within = input.zip(passed).map { case (column, parameter) => parameter.fold(column)(_.inside) }
      val method = permutedMethod(shape, leaves, own, within, parameters)
      val arguments = (isSample +: parameters.flatMap(_.arguments)).mkString(", ")
      val evaluated = parameters.map(_.evaluation).mkString("\n")
      Block(s"$evaluated\nfinal boolean $passes = $method($arguments);", passes)
    }
  }

  private def permutedMethod(
      shape: PredicateShape,
      leaves: IndexedSeq[Conjunct],
      own: String,
      columns: Seq[ExprCode],
      parameters: Seq[RowFilterCodegen.Parameter]
  ): String = {
    val (name, sampled, passes) =
      (ctx.freshName("permuted"), ctx.freshName("sampled"), ctx.freshName("passes"))
    val blocks = leaves.map(code.block(_, columns))
    val size = blocks.map(_.statements.length).sum
    val long = size * 2 > RowFilterCodegen.LargestMethod
    val steps = if (long) blocks.map(leafMethod(_, parameters)) else blocks
    val body =
      if (long || !shape.isFlat || size * (blocks.size + 1) > RowFilterCodegen.LargestMethod)
        leafByLeaf(steps, own, passes, sampled)
      else {
        val (permuted, adopt) = unrolled(steps, own, passes)
        s"""
           |if ($sampled) {
           |  ${leafByLeaf(steps, own, passes, "true")}
           |  $adopt
           |} else {
           |  $permuted
           |}
         """.stripMargin
      }
    ctx.addNewFunction(
      name,
      s"""
         |private boolean $name(${(s"boolean $sampled" +: parameters.flatMap(_.declarations)).mkString(
          ", "
        )}) {
         |  boolean $passes = true;
         |  $body
         |  return $passes;
         |}
       """.stripMargin
    )
  }

  /** Call of a method that holds a single leaf. */
  private def leafMethod(block: Block, parameters: Seq[RowFilterCodegen.Parameter]): Block = {
    val name = ctx.freshName("leaf")
    val needed = parameters.filter(_.isUsedIn(block.statements + block.truth))
    val added = ctx.addNewFunction(
      name,
      s"""
         |private boolean $name(${needed.flatMap(_.declarations).mkString(", ")}) {
         |  ${block.statements}
         |  return ${block.truth};
         |}
       """.stripMargin
    )
    Block("", s"$added(${needed.flatMap(_.names).mkString(", ")})")
  }

  /** One `switch` for each place of the order. Each one jumps to the same case for row after row, which a
    * processor predicts; the one `switch` of a loop would not. In return every leaf's code stands in every
    * place.
    *
    * @return
    *   the code, and the code that adopts a new order
    */
  private def unrolled(blocks: Seq[Block], own: String, passes: String): (String, String) = {
    val places =
      blocks.indices.map(k => code.field(CodeGenerator.JAVA_INT, s"place$k", s"$own.nodes()[0][$k]"))
    val steps = places.map(place => s"${switch(blocks, place, passes)}\nif (!$passes) break;").mkString("\n")
    val adopt = places.zipWithIndex.map { case (place, k) => s"$place = $own.nodes()[0][$k];" }.mkString("\n")
    (s"do {\n$steps\n} while (false);", adopt)
  }

  /** A loop over leaves, in which each leaf's code stands once.
    *
    * @param sampled
    *   Java expression that is true if every leaf evaluates the row and is timed
    */
  private def leafByLeaf(blocks: Seq[Block], own: String, passes: String, sampled: String): String = {
    val (leaf, truth) = (ctx.freshName("leaf"), ctx.freshName("truth"))
    s"""
       |int $leaf = $sampled ? $own.beginSample() : $own.first();
       |do {
       |  boolean $truth = false;
       |  ${switch(blocks, leaf, truth)}
       |  $leaf = $sampled ? $own.record($leaf, $truth) : ($truth ? $own.onTrue() : $own.onFalse())[$leaf];
       |} while ($leaf >= 0);
       |$passes = $leaf == ${BranchTargets.Pass};
     """.stripMargin
  }

  private def switch(blocks: Seq[Block], on: String, passed: String): String = {
    val cases = blocks.zipWithIndex.map { case (block, k) =>
      s"case $k: ${block.use(truth => s"$passed = $truth;")} break;"
    }
    s"switch ($on) {\n${cases.mkString("\n")}\n}"
  }
}

private object RowFilterCodegen {

  // Characters of the conjuncts' source in all places. About six make a byte of bytecode, and HotSpot does
  // not compile a method of more than 8,000 bytes.
  val LargestMethod = 24000

  // Slots of parameters; the JVM allows 255.
  val MostSlots = 200

  /** Java variable that counts rows of the child's loop, with statements for before and after the loop. */
  final case class Counter(javaType: String, name: String, begin: String, end: String)

  /** A column as parameters of a method: its value, and its null flag if it may be null. */
  final class Parameter private (
      column: ExprCode,
      javaType: String,
      isNull: Option[String],
      value: String,
      dataType: DataType
  ) {

    /** Statements that evaluate the column before it is passed. */
    def evaluation: String = column.code.toString
    def slots: Int = isNull.size +
      (if (javaType == CodeGenerator.JAVA_LONG || javaType == CodeGenerator.JAVA_DOUBLE) 2 else 1)
    def declarations: Seq[String] = isNull.map(name => s"boolean $name").toSeq :+ s"$javaType $value"
    def names: Seq[String] = isNull.toSeq :+ value
    def arguments: Seq[String] = isNull.map(_ => column.isNull.toString).toSeq :+ column.value.toString
    def isUsedIn(code: String): Boolean =
      names.exists(name => s"\\b${java.util.regex.Pattern.quote(name)}\\b".r.findFirstIn(code).isDefined)

    /** The column within the method. */
    def inside: ExprCode = ExprCode(
      isNull.fold[ExprValue](FalseLiteral)(JavaCode.isNullVariable(_)),
      JavaCode.variable(value, dataType)
    )
  }

  object Parameter {
    def apply(ctx: CodegenContext, column: ExprCode, dataType: DataType): Parameter = new Parameter(
      column,
      CodeGenerator.javaType(dataType),
      if (column.isNull == FalseLiteral) None else Some(ctx.freshName("isNull")),
      ctx.freshName("value"),
      dataType
    )
  }
}
