package io.adaptivespark.conf

import org.apache.spark.network.util.JavaUtils

/** A number of bytes, written as Spark writes it: 512k, 256m, 1g. */
final case class Size(bytes: Long, text: String) {
  override def toString: String = text
}

object Size {
  def parse(text: String): Size = Size(JavaUtils.byteStringAsBytes(text), text)
}
