package io.adaptivespark.shim

import org.apache.spark.unsafe.types.UTF8String

private[adaptivespark] object BytesOrder {

  /** Compares texts by their bytes, without a sign. Spark 4.0 named it, when it introduced collations. */
  def compare(x: UTF8String, y: UTF8String): Int = x.binaryCompare(y)
}
