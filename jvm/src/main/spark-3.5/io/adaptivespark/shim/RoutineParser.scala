package io.adaptivespark.shim

import org.apache.spark.sql.catalyst.parser.ParserInterface

/** The methods of a parser for routines: none before Spark 4.0. */
abstract private[shim] class RoutineParser(parser: ParserInterface) extends CommonParser(parser)
