package io.adaptivespark.shim

import java.lang.invoke.{MethodHandle, MethodHandles}

import org.apache.spark.sql.execution.datasources.parquet.ParquetDictionary
import org.apache.spark.sql.execution.vectorized.WritableColumnVector

/** The dictionary behind a column of a batch: the same object as long as its entries are the same.
  *
  * Spark keeps it to itself.
  */
private[adaptivespark] object ColumnDictionary {
  private val ofColumn = getter(classOf[WritableColumnVector], "dictionary")

  // Spark wraps Parquet's dictionary anew for every batch.
  private val ofParquet = getter(classOf[ParquetDictionary], "dictionary")

  def apply(column: WritableColumnVector): AnyRef = ofColumn.invoke(column).asInstanceOf[AnyRef] match {
    case wrapper: ParquetDictionary => ofParquet.invoke(wrapper).asInstanceOf[AnyRef]
    case other => other
  }

  private def getter(of: Class[_], field: String): MethodHandle = {
    val found = of.getDeclaredField(field)
    found.setAccessible(true)
    MethodHandles.lookup().unreflectGetter(found)
  }
}
