package io.adaptivespark.filter.exec

import scala.reflect.ClassTag
import scala.util.Random

import org.apache.spark.{Partition, SparkContext, TaskContext}
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.execution.LeafExecNode
import org.apache.spark.sql.execution.adaptivespark.Columns
import org.apache.spark.sql.execution.vectorized.{Dictionary, OnHeapColumnVector}
import org.apache.spark.sql.types._
import org.apache.spark.sql.vectorized.{ColumnarBatch, ColumnVector}
import org.apache.spark.unsafe.types.UTF8String

/** A scan of one partition that is in memory, as rows and as column batches. Only for tasks within this JVM. */
case class MemoryScanExec(
    output: Seq[Attribute],
    rows: Seq[InternalRow],
    batches: Seq[ColumnarBatch]
) extends LeafExecNode {
  @transient private lazy val byRow = new InMemory(sparkContext, rows)
  @transient private lazy val byBatch = new InMemory(sparkContext, batches)

  override def supportsColumnar: Boolean = true
  override def vectorTypes: Option[Seq[String]] = Some(output.map(_ => classOf[OnHeapColumnVector].getName))
  override protected def doExecute(): RDD[InternalRow] = byRow
  override protected def doExecuteColumnar(): RDD[ColumnarBatch] = byBatch
}

object MemoryScanExec {

  /** @param sizes
    *   rows of each batch, as many in all as there are rows
    */
  def apply(
      output: Seq[Attribute],
      rows: Seq[InternalRow],
      sizes: Seq[Int],
      random: Random
  ): MemoryScanExec = {
    require(sizes.sum == rows.size, s"${sizes.sum} rows in batches are not the ${rows.size} rows.")
    val schema = StructType(output.map(a => StructField(a.name, a.dataType, a.nullable)))
    val ends = sizes.scanLeft(0)(_ + _)
    val entries = schema.indices.map(i => new Entries(rows, i, schema(i).dataType))
    val batches = ends.zip(ends.tail).map { case (from, until) =>
      val columns = Columns.of(rows.slice(from, until), schema)
      for (i <- schema.indices if entries(i).possible && random.nextBoolean())
        entries(i).encode(columns(i), rows.slice(from, until))
      new ColumnarBatch(columns.map(c => c: ColumnVector), until - from)
    }
    new MemoryScanExec(output, rows, batches)
  }
}

/** What every task computes anew from the same elements. */
private final class InMemory[T: ClassTag](context: SparkContext, elements: Seq[T])
    extends RDD[T](context, Nil) {
  override protected def getPartitions: Array[Partition] = Array(new Partition {
    override def index: Int = 0
  })
  override def compute(split: Partition, context: TaskContext): Iterator[T] = elements.iterator
}

/** A column's values as a dictionary, which may have entries that a batch does not use. */
private final class Entries(rows: Seq[InternalRow], column: Int, dataType: DataType) extends Dictionary {
  private def value(row: InternalRow): Any = row.get(column, dataType) match {
    case bytes: Array[Byte] => UTF8String.fromBytes(bytes)
    case other => other
  }

  // Of Java: in Scala NaN is not itself, and -0.0 is 0.0.
  private val ids = new java.util.LinkedHashMap[Any, Int]
  rows.filterNot(_.isNullAt(column)).foreach(row => ids.putIfAbsent(value(row), ids.size))
  private val values = ids.keySet.toArray

  /** Whether Parquet has dictionaries for the type. */
  def possible: Boolean = dataType match {
    case BooleanType | _: ArrayType | _: StructType | _: MapType => false
    case _ => true
  }

  /** Puts ids in the place of values; nulls stay. */
  def encode(vector: OnHeapColumnVector, rows: Seq[InternalRow]): Unit = {
    val places = vector.reserveDictionaryIds(rows.size.max(1))
    rows.zipWithIndex.foreach { case (row, at) =>
      if (!row.isNullAt(column)) places.putInt(at, ids.get(value(row)))
    }
    vector.setDictionary(this)
  }

  override def decodeToInt(id: Int): Int = decodeToLong(id).toInt
  override def decodeToLong(id: Int): Long = values(id) match {
    case decimal: Decimal => decimal.toUnscaledLong
    case number: Number => number.longValue
    case other => throw new IllegalStateException(s"$other is no whole number.")
  }
  override def decodeToFloat(id: Int): Float = values(id).asInstanceOf[Float]
  override def decodeToDouble(id: Int): Double = values(id).asInstanceOf[Double]
  override def decodeToBinary(id: Int): Array[Byte] = values(id) match {
    case text: UTF8String => text.getBytes
    case decimal: Decimal => decimal.toJavaBigDecimal.unscaledValue.toByteArray
    case other => throw new IllegalStateException(s"$other is no text.")
  }
}
