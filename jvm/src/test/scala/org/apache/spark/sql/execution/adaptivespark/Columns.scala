package org.apache.spark.sql.execution.adaptivespark

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.execution.RowToColumnConverter
import org.apache.spark.sql.execution.vectorized.OnHeapColumnVector
import org.apache.spark.sql.types.StructType

/** Spark's step from rows to columns, which is private to Spark SQL. */
object Columns {
  def of(rows: Seq[InternalRow], schema: StructType): Array[OnHeapColumnVector] = {
    val columns = OnHeapColumnVector.allocateColumns(rows.size.max(1), schema)
    val converter = new RowToColumnConverter(schema)
    rows.foreach(converter.convert(_, columns.toArray))
    columns
  }
}
