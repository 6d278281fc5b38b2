package io.adaptivespark.shim

import org.apache.spark.sql.catalyst.parser.ParserInterface

/** A parser that asks another one. Before Spark 4.1 it has no more than the common methods. */
abstract private[adaptivespark] class ParserShim(parser: ParserInterface) extends RoutineParser(parser)
