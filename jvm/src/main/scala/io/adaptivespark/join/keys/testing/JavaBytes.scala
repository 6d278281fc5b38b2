package io.adaptivespark.join.keys.testing

import java.nio.ByteBuffer

import scala.reflect.ClassTag

import org.apache.spark.SparkEnv

/** Objects as bytes, by Spark's serializer for closures.
  *
  * The one that an application chooses for its data may refuse classes that it was not told of.
  */
private[adaptivespark] object JavaBytes {
  def of[T: ClassTag](value: T): Array[Byte] = {
    val buffer = SparkEnv.get.closureSerializer.newInstance().serialize(value)
    val bytes = new Array[Byte](buffer.remaining)
    buffer.get(bytes)
    bytes
  }

  def read[T: ClassTag](bytes: Array[Byte]): T =
    SparkEnv.get.closureSerializer.newInstance().deserialize[T](
      ByteBuffer.wrap(bytes),
      Thread.currentThread.getContextClassLoader
    )
}
