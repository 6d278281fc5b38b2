package io.adaptivespark.shim

import org.apache.spark.sql.catalyst.{FunctionIdentifier, TableIdentifier}
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.parser.ParserInterface
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.types.{DataType, StructType}

/** The methods of a parser that asks another one which each line has. */
abstract private[shim] class CommonParser(parser: ParserInterface) extends ParserInterface {

  /** Runs `parse`, which parses `sql`. */
  protected def asking[T](sql: String)(parse: => T): T

  override def parsePlan(sql: String): LogicalPlan = asking(sql)(parser.parsePlan(sql))

  override def parseQuery(sql: String): LogicalPlan = asking(sql)(parser.parseQuery(sql))

  override def parseExpression(sql: String): Expression = asking(sql)(parser.parseExpression(sql))

  override def parseTableIdentifier(sql: String): TableIdentifier =
    asking(sql)(parser.parseTableIdentifier(sql))

  override def parseFunctionIdentifier(sql: String): FunctionIdentifier =
    asking(sql)(parser.parseFunctionIdentifier(sql))

  override def parseMultipartIdentifier(sql: String): Seq[String] =
    asking(sql)(parser.parseMultipartIdentifier(sql))

  override def parseTableSchema(sql: String): StructType = asking(sql)(parser.parseTableSchema(sql))

  override def parseDataType(sql: String): DataType = asking(sql)(parser.parseDataType(sql))
}
