package io.adaptivespark.shim

import org.apache.spark.sql.catalyst.parser.{ParameterContext, ParserInterface}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan

/** A parser that asks another one. Spark 4.1 added statements that are parsed with the values of their parameters. */
abstract private[adaptivespark] class ParserShim(parser: ParserInterface) extends RoutineParser(parser) {

  override def parsePlanWithParameters(sql: String, parameters: ParameterContext): LogicalPlan =
    asking(sql)(parser.parsePlanWithParameters(sql, parameters))
}
