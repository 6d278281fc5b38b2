package io.adaptivespark.filter.codegen

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.codegen._

import io.adaptivespark.filter.plan.Conjunct

/** Generates the Java of single conjuncts. */
private[adaptivespark] final class ConjunctCodegen(
    ctx: CodegenContext,
    shareSubexpressions: Boolean,
    inputSchema: Seq[Attribute]
) {

  import ConjunctCodegen.Block

  /** Code of one conjunct over `input`. It reads the columns that it needs itself, so that a dropped row
    * costs no further column.
    */
  def block(conjunct: Conjunct, input: Seq[ExprCode]): Block = {
    // Copies, since a column evaluated within a block is not evaluated for the code outside.
    val columns = input.map(code => ExprCode(code.code, code.isNull, code.value))
    ctx.currentVars = columns
    ctx.INPUT_ROW = null
    val bound = conjunct.members.map(BindReferences.bindReference(_, inputSchema))
    val needed = evaluate(columns, AttributeSet(conjunct.members.flatMap(_.references)))
    val shared =
      ctx.subexpressionEliminationForWholeStageCodegen(if (shareSubexpressions && !conjunct.mayThrow) bound
      else Nil)
    val codes = ctx.withSubExprEliminationExprs(shared.states) {
      // Calls the rule itself. Its executor counts effective rules, which doubles the time for many leaves.
      bound.map(e => ExpressionCanonicalizer.CleanExpressions(e).genCode(ctx))
    }
    val subexpressions = ctx.evaluateSubExprEliminationState(shared.states.values)
    val (statements, truth) = all(codes)
    Block(s"$needed\n$subexpressions\n$statements", truth)
  }

  /** Statements, and a Java expression for "all of `codes` are true"; null is false. */
  private def all(codes: Seq[ExprCode]): (String, String) = {
    def truth(code: ExprCode) =
      if (code.isNull == FalseLiteral) s"${code.value}" else s"(!${code.isNull} && ${code.value})"
    if (codes.size == 1) (codes.head.code.toString, truth(codes.head))
    else {
      val all = ctx.freshName("all")
      val steps = codes.map(code => s"${code.code}\nif (!${truth(code)}) break;").mkString("\n")
      (s"boolean $all = false;\ndo {\n$steps\n$all = true;\n} while (false);", all)
    }
  }

  /** Field of the generated class, initialized with `value`. */
  def field(javaType: String, name: String, value: String): String =
    ctx.addMutableState(javaType, name, v => s"$v = $value;", forceInline = true)

  private def evaluate(columns: Seq[ExprCode], references: AttributeSet): String =
    columns.zip(inputSchema).collect {
      case (column, attribute) if references.contains(attribute) && column.code.nonEmpty =>
        val code = column.code.toString
        column.code = EmptyBlock
        code
    }.mkString("\n")
}

private[adaptivespark] object ConjunctCodegen {

  /** Statements in a scope of their own, and the Java expression of the conjunct's truth. */
  final case class Block(statements: String, truth: String) {
    def use(of: String => String): String = s"{\n$statements\n${of(truth)}\n}"
  }
}
