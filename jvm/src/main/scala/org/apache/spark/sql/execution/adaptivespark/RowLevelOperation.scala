package org.apache.spark.sql.execution.adaptivespark

import org.apache.spark.sql.connector.catalog.Table
import org.apache.spark.sql.connector.write.RowLevelOperationTable

/** A MERGE, UPDATE or DELETE, which is private to Spark SQL. */
object RowLevelOperation {

  /** Whether one reads `table` to write it anew. */
  def rewrites(table: Table): Boolean = table.isInstanceOf[RowLevelOperationTable]

  /** The table itself, which the table of an operation says less of. */
  def target(table: Table): Table = table match {
    case RowLevelOperationTable(target, _) => target
    case other => other
  }
}
