package io.adaptivespark.analyze

import scala.collection.mutable

import org.apache.spark.sql.{Encoder, Encoders}
import org.apache.spark.sql.expressions.Aggregator

/** Counts the values of a column that has few, given their hashes. Nulls do not count.
  *
  * @param often
  *   rows up to which a value is counted
  */
private[adaptivespark] final case class CountValues(often: Int)
    extends Aggregator[java.lang.Long, mutable.LongMap[Int], ValueCounts] {
  override def zero: mutable.LongMap[Int] = mutable.LongMap.empty

  override def reduce(rows: mutable.LongMap[Int], hash: java.lang.Long): mutable.LongMap[Int] =
    if (hash == null) rows else added(rows, hash, 1)

  override def merge(some: mutable.LongMap[Int], others: mutable.LongMap[Int]): mutable.LongMap[Int] = {
    others.foreach { case (hash, more) => added(some, hash, more) }
    some
  }

  private def added(rows: mutable.LongMap[Int], hash: Long, more: Int): mutable.LongMap[Int] = {
    val seen = rows.getOrElse(hash, 0)
    if (seen < often) rows.update(hash, math.min(often, seen + more))
    rows
  }

  override def finish(rows: mutable.LongMap[Int]): ValueCounts = {
    val rare = rows.values.filter(_ < often).toArray
    ValueCounts(
      rows.size.toLong - rare.length,
      rare.length.toLong,
      rare.count(_ == 1).toLong,
      rare.map(_.toLong).sum
    )
  }

  override def bufferEncoder: Encoder[mutable.LongMap[Int]] = Encoders.javaSerialization
  override def outputEncoder: Encoder[ValueCounts] = Encoders.product
}
