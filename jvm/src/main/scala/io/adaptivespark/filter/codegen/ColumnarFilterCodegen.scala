package io.adaptivespark.filter.codegen

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.codegen._
import org.apache.spark.sql.catalyst.expressions.codegen.Block._
import org.apache.spark.sql.execution.vectorized.{OffHeapColumnVector, OnHeapColumnVector}
import org.apache.spark.sql.vectorized.ColumnarBatch

import io.adaptivespark.filter.plan.{Conjunct, ConjunctPlan, PredicateTree}
import io.adaptivespark.filter.run.{DictionaryCache, FilterRun, SelectionVectorFilter}
import io.adaptivespark.filter.safety.Droppable
import io.adaptivespark.filter.sampling.ConjunctLoops

/** Generates the Java of an adaptive filter over column batches: a class of [[ConjunctLoops]], with a
  * method for each conjunct.
  */
private[adaptivespark] final class ColumnarFilterCodegen(
    ctx: CodegenContext,
    plan: ConjunctPlan,
    shareSubexpressions: Boolean,
    schema: Seq[Attribute],
    vectorClasses: Seq[String]
) {
  private val conjunctCode = new ConjunctCodegen(ctx, shareSubexpressions, schema)
  private val vectors = vectorClasses.zipWithIndex.map { case (vectorClass, i) =>
    ctx.addMutableState(vectorClass, s"vector$i", forceInline = true)
  }

  /** Columns of the row whose index the Java variable `row` holds. */
  def columns(row: String): Seq[ExprCode] = schema.zip(vectors).map { case (attribute, vector) =>
    val (isNull, value) = (ctx.freshName("isNull"), ctx.freshName("value"))
    val javaType = CodeGenerator.javaType(attribute.dataType)
    val read = CodeGenerator.getValueFromVector(vector, attribute.dataType, row)
    if (attribute.nullable)
      ExprCode(
        code"""
              |boolean $isNull = $vector.isNullAt($row);
              |$javaType $value = $isNull ? ${CodeGenerator.defaultValue(attribute.dataType)} : ($read);
              |""".stripMargin,
        JavaCode.isNullVariable(isNull),
        JavaCode.variable(value, attribute.dataType)
      )
    else
      ExprCode(code"$javaType $value = $read;", FalseLiteral, JavaCode.variable(value, attribute.dataType))
  }

  /** Field that holds the task's [[SelectionVectorFilter]] over the first input. */
  def filter(run: FilterRun): String = {
    val started = ctx.addReferenceObj("adaptiveFilter", run, classOf[FilterRun].getName)
    val loopsClass = ctx.freshName("ConjunctLoops")
    val loops = conjunctCode.field(loopsClass, "loops", s"new $loopsClass()")
    val (tests, keeps) = plan.conjuncts.zipWithIndex.map { case (conjunct, k) =>
      val test = testMethod(conjunct)
      (test, keepMethod(test, shortCut(conjunct, s"$loops, $k")))
    }.unzip
    ctx.addInnerClass(loopsClassCode(loopsClass, tests, keeps))
    conjunctCode.field(
      classOf[SelectionVectorFilter].getName,
      "batchFilter",
      s"$started.startBatches(partitionIndex, inputs[0], $loops)"
    )
  }

  private def loopsClassCode(name: String, tests: Seq[String], keeps: Seq[String]): String = {
    val assigned = vectors.zip(vectorClasses).zipWithIndex.map { case ((vector, vectorClass), i) =>
      s"$vector = ($vectorClass) batch.column($i);"
    }
    s"""
       |private final class $name implements ${classOf[ConjunctLoops].getName} {
       |  public void open(${classOf[ColumnarBatch].getName} batch) {
       |    ${assigned.mkString("\n")}
       |  }
       |  public boolean test(int conjunct, int row) {
       |    ${dispatch(tests, "boolean", "int row", "row")}
       |  }
       |  public int keep(int conjunct, int[] rows, int count, int[] kept) {
       |    ${dispatch(keeps, "int", "int[] rows, int count, int[] kept", "rows, count, kept")}
       |  }
       |}
     """.stripMargin
  }

  /** Calls the method of `conjunct`. Many conjuncts are called through methods that know some of them each,
    * so that none is too long for HotSpot.
    */
  private def dispatch(
      methods: Seq[String],
      returned: String,
      parameters: String,
      arguments: String
  ): String =
    if (methods.size <= ColumnarFilterCodegen.MostCases)
      switch("conjunct", methods.map(method => s"$method($arguments)"))
    else {
      val calls = methods.grouped(ColumnarFilterCodegen.MostCases).map { some =>
        val name = ctx.freshName("dispatch")
        val body = switch("conjunct", some.map(method => s"$method($arguments)"))
        val added =
          ctx.addNewFunction(name, s"private $returned $name(int conjunct, $parameters) {\n$body\n}")
        s"$added(conjunct % ${ColumnarFilterCodegen.MostCases}, $arguments)"
      }.toVector
      switch(s"conjunct / ${ColumnarFilterCodegen.MostCases}", calls)
    }

  private def switch(on: String, results: Seq[String]): String = {
    val cases = results.zipWithIndex.map { case (result, k) => s"case $k: return $result;" }
    s"switch ($on) {\n${cases.mkString("\n")}\ndefault: throw new IndexOutOfBoundsException();\n}"
  }

  private def testMethod(conjunct: Conjunct): String = {
    val (name, row) = (ctx.freshName("test"), ctx.freshName("row"))
    val block = conjunctCode.block(conjunct, columns(row))
    ctx.addNewFunction(
      name,
      s"""
         |private boolean $name(int $row) {
         |  ${block.statements}
         |  return ${block.truth};
         |}
       """.stripMargin
    )
  }

  private def keepMethod(test: String, shortCut: String): String = {
    val name = ctx.freshName("keep")
    ctx.addNewFunction(
      name,
      s"""
         |private int $name(int[] rows, int count, int[] kept) {
         |  $shortCut
         |  int passed = 0;
         |  for (int i = 0; i < count; i++) {
         |    int row = rows[i];
         |    kept[passed] = row;
         |    if ($test(row)) passed++;
         |  }
         |  return passed;
         |}
       """.stripMargin
    )
  }

  /** Statements that return at once for batches that allow it. */
  private def shortCut(conjunct: Conjunct, memoOf: String): String = conjunct.expression match {
    case IsNotNull(column: Attribute) =>
      val vector = vectors(schema.indexWhere(_.exprId == column.exprId))
      s"""
         |if (!$vector.hasNull()) {
         |  if (rows != kept) System.arraycopy(rows, 0, kept, 0, count);
         |  return count;
         |}
       """.stripMargin
    // It counts the rows that it tests.
    case _: Droppable => ""
    case other => byDictionary(other, memoOf)
  }

  /** Short cut of a predicate on one column with a dictionary. Comparing numbers is as quick as a look-up.
    */
  private def byDictionary(predicate: Expression, memoOf: String): String =
    schema.indices.filter(i => predicate.references.contains(schema(i))) match {
      case Seq(i)
          if ColumnarFilterCodegen.WithDictionary(vectorClasses(i)) && PredicateTree.isCostly(predicate) =>
        val memo =
          conjunctCode.field(
            classOf[DictionaryCache].getName,
            "memo",
            s"new ${classOf[DictionaryCache].getName}($memoOf)"
          )
        s"if (${vectors(i)}.hasDictionary()) return $memo.keep(${vectors(i)}, rows, count, kept);"
      case _ => ""
    }
}

private object ColumnarFilterCodegen {
  private val MostCases = 100
  private val WithDictionary = Set(classOf[OnHeapColumnVector].getName, classOf[OffHeapColumnVector].getName)
}
