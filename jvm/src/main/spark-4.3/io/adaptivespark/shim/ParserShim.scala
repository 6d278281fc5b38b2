package io.adaptivespark.shim

import org.apache.spark.sql.catalyst.{FunctionIdentifier, TableIdentifier}
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.parser.{
  ParameterContext,
  ParseException,
  ParserInterface,
  SqlStatementSplitResult,
  TemporalIdentifier
}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.types.{DataType, StructType}

/** A parser that asks another one. Nearly every line of Spark gave the interface another method.
  *
  * @param explained
  *   the error to throw instead of one of `parser`, given the text that it was to parse
  */
private[adaptivespark] class ParserShim(
    parser: ParserInterface,
    explained: (String, ParseException) => Throwable
) extends ParserInterface {

  override def parsePlan(sql: String): LogicalPlan = explaining(sql, parser.parsePlan(sql))

  override def parsePlanWithParameters(sql: String, parameters: ParameterContext): LogicalPlan =
    explaining(sql, parser.parsePlanWithParameters(sql, parameters))

  override def parseQuery(sql: String): LogicalPlan = explaining(sql, parser.parseQuery(sql))

  override def parseExpression(sql: String): Expression = explaining(sql, parser.parseExpression(sql))

  override def parseTableIdentifier(sql: String): TableIdentifier = parser.parseTableIdentifier(sql)

  override def parseFunctionIdentifier(sql: String): FunctionIdentifier = parser.parseFunctionIdentifier(sql)

  override def parseMultipartIdentifier(sql: String): Seq[String] = parser.parseMultipartIdentifier(sql)

  override def parseTemporalTableIdentifier(sql: String): TemporalIdentifier =
    parser.parseTemporalTableIdentifier(sql)

  override def parseTableSchema(sql: String): StructType = parser.parseTableSchema(sql)

  override def parseDataType(sql: String): DataType = parser.parseDataType(sql)

  override def parseRoutineParam(sql: String): StructType = parser.parseRoutineParam(sql)

  override def splitStatements(sql: String): SqlStatementSplitResult = parser.splitStatements(sql)

  private def explaining[T](sql: String, parsed: => T): T =
    try parsed
    catch { case error: ParseException => throw explained(sql, error) }
}
