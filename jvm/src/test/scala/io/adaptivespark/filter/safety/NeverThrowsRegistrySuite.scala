package io.adaptivespark.filter.safety

import scala.util.Try

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.analysis.FunctionRegistry
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.codegen.CodegenFallback
import org.apache.spark.sql.catalyst.expressions.objects.StaticInvoke
import org.apache.spark.sql.types._
import org.scalatest.funsuite.AnyFunSuite

import io.adaptivespark.NewerTypes
import io.adaptivespark.SparkSuite

/** Holds the allow-list against all functions that this Spark registers. */
class NeverThrowsRegistrySuite extends AnyFunSuite with SparkSuite {
  import NeverThrowsExamples._
  import NeverThrowsRegistrySuite._

  test("no function of Spark's registry is regarded as safe unless it is listed with calls that were tried") {
    withConf("spark.sql.ansi.enabled" -> "false") {
      val unlisted = FunctionRegistry.expressions.keys.toSeq.sorted.filterNot(Listed).flatMap { name =>
        calls(name).find(e => Try(NeverThrows(replaced(e))).getOrElse(false)).map(e => s"$name: $e")
      }
      assert(unlisted.isEmpty, unlisted.mkString("\n", "\n", ""))
    }
  }

  test("each listed function is one of Spark's registry") {
    assert((Listed -- FunctionRegistry.expressions.keys -- Lacking).isEmpty)
  }

  test("the calls that are tried reach most of the registry") {
    val scalar = FunctionRegistry.expressions.toSeq.collect {
      case (name, (info, _)) if !Others(info.getGroup) => name
    }
    val reached = scalar.filter(calls(_).nonEmpty)
    val missed = scalar.diff(reached).sorted.mkString(" ")
    info(s"${reached.size} of ${scalar.size} scalar functions; not: $missed")
    assert(reached.size > scalar.size * 8 / 10)
  }

  test("a function that Spark does not have yet may throw") {
    assert(!NeverThrows(NewFunction(column(StringType))))
    assert(!NeverThrows(StaticInvoke(classOf[NewFunction], StringType, "encode", Seq(column(StringType)))))
  }

  /** Well-typed calls of `name` with up to three columns and literals. */
  private def calls(name: String): Iterator[Expression] = {
    val build = FunctionRegistry.expressions(name)._2
    Arguments.iterator.zipWithIndex.flatMap { case (pool, arity) =>
      val tuples = (1 to arity).foldLeft(Iterator(Seq.empty[Expression])) { (shorter, _) =>
        shorter.flatMap(done => pool.map(done :+ _))
      }
      // One tuple of each arity tells whether the function takes as many.
      val first = Try(build(Seq.fill(arity)(pool.head)))
      val takes = !first.failed.toOption.exists(e => String.valueOf(e.getMessage).contains("WRONG_NUM_ARGS"))
      if (!takes) Iterator.empty
      else tuples.flatMap(arguments => Try(build(arguments)).toOption.filter(isTyped))
    }
  }

  private def isTyped(expression: Expression): Boolean =
    Try(expression.checkInputDataTypes().isSuccess && replaced(expression).resolved).getOrElse(false)

  /** What the optimizer makes of `expression`. */
  private def replaced(expression: Expression): Expression =
    expression.transformUp { case r: RuntimeReplaceable => replaced(r.replacement) }
}

object NeverThrowsRegistrySuite {

  /** Groups of functions that no filter holds. */
  private val Others = Set("agg_funcs", "window_funcs", "generator_funcs", "table_funcs", "lambda_funcs")

  private def column(dataType: DataType): Expression = AttributeReference("c", dataType)()

  private val columns = Seq(
    StringType,
    IntegerType,
    LongType,
    DoubleType,
    DateType,
    TimestampType,
    ArrayType(IntegerType),
    BooleanType,
    BinaryType,
    TimestampNTZType,
    DecimalType(5, 2),
    FloatType,
    ArrayType(StringType),
    ArrayType(ArrayType(IntegerType)),
    MapType(StringType, IntegerType),
    StructType.fromDDL("a INT, b STRING"),
    YearMonthIntervalType(),
    DayTimeIntervalType(),
    CalendarIntervalType
  ).map(column) ++ NewerTypes.others.map(column) ++
    Try(column(DataType.fromDDL("TIME"))).toOption // since Spark 4.1
  private val literals = Seq(Literal("a"), Literal(1), Literal(1L), Literal(2.5))

  /** What to call a function with, for each number of arguments. */
  private val Arguments: Seq[Seq[Expression]] =
    Seq(columns, columns ++ literals, columns ++ literals, columns.take(7) ++ literals.take(2))

  final case class NewFunction(child: Expression) extends UnaryExpression with CodegenFallback {
    override def dataType: DataType = StringType
    override def eval(input: InternalRow): Any = throw new IllegalStateException("not evaluated")
    override protected def withNewChildInternal(newChild: Expression): Expression = copy(child = newChild)
  }
}
