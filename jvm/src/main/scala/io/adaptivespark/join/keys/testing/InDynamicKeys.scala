package io.adaptivespark.join.keys.testing

import org.apache.spark.sql.catalyst.expressions.{Expression, Predicate, UnaryExpression}
import org.apache.spark.sql.catalyst.expressions.codegen.{CodegenContext, ExprCode}
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

import io.adaptivespark.filter.safety.Droppable
import io.adaptivespark.join.keys.KeyDomain
import io.adaptivespark.shim.NullOfNull

/** False where the build side of a join does not hold the key `child`. True is always a right answer: the join decides.
  *
  * @param filter
  *   the number of the filter among those of the `DynamicFilterExec` below
  */
case class InDynamicKeys(child: Expression, filter: Int)(val keys: RuntimeKeyFilter) extends UnaryExpression
    with Predicate with Droppable with NullOfNull {
  override def prettyName: String = "in_dynamic_keys"
  override protected def otherCopyArgs: Seq[AnyRef] = Seq(keys)
  override def toString: String = s"$child in dynamic keys $filter"
  override def sql: String = s"$prettyName(${child.sql}, $filter)"

  @transient private lazy val tester = keys.tester()

  override protected def nullSafeEval(key: Any): Any = key match {
    case text: UTF8String => tester.test(text)
    case bytes: Array[Byte] => tester.test(bytes)
    case decimal: Decimal if !isLong => tester.test(decimal)
    case value => tester.test(KeyDomain.Longs.number(value))
  }

  override protected def doGenCode(ctx: CodegenContext, ev: ExprCode): ExprCode = {
    val ref = ctx.addReferenceObj("rowKeys", keys)
    val tester = ctx.addMutableState(classOf[RowKeyTester].getName, "keyTester", v => s"$v = $ref.tester();")
    nullSafeCodeGen(ctx, ev, key => s"${ev.value} = $tester.test(${argument(key)});")
  }

  private def argument(key: String): String = child.dataType match {
    case BooleanType => s"$key ? 1L : 0L"
    case _: DecimalType if isLong => s"$key.toUnscaledLong()"
    case _ if isLong => s"(long) $key"
    case _ => key
  }

  private def isLong: Boolean = KeyDomain.of(child.dataType).contains(KeyDomain.Longs)

  override protected def withNewChildInternal(newChild: Expression): InDynamicKeys =
    copy(child = newChild)(keys)
}
