package io.adaptivespark.shim

import org.apache.spark.sql.catalyst.parser.ParserInterface
import org.apache.spark.sql.types.StructType

/** The methods of a parser for routines. Spark 4.0 added `parseRoutineParam`. */
abstract private[shim] class RoutineParser(parser: ParserInterface) extends CommonParser(parser) {

  override def parseRoutineParam(sql: String): StructType = asking(sql)(parser.parseRoutineParam(sql))
}
