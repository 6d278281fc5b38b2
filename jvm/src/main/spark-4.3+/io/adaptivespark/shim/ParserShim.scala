package io.adaptivespark.shim

import org.apache.spark.sql.catalyst.parser.{
  ParameterContext,
  ParserInterface,
  SqlStatementSplitResult,
  TemporalIdentifier
}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan

/** A parser that asks another one. Spark 4.3 added names of tables as of a time, and scripts that are split into
  * statements.
  */
abstract private[adaptivespark] class ParserShim(parser: ParserInterface) extends RoutineParser(parser) {

  override def parsePlanWithParameters(sql: String, parameters: ParameterContext): LogicalPlan =
    asking(sql)(parser.parsePlanWithParameters(sql, parameters))

  override def parseTemporalTableIdentifier(sql: String): TemporalIdentifier =
    asking(sql)(parser.parseTemporalTableIdentifier(sql))

  override def splitStatements(sql: String): SqlStatementSplitResult =
    asking(sql)(parser.splitStatements(sql))
}
