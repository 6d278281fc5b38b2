package io.adaptivespark.join

import java.util

import scala.collection.mutable.ArrayBuffer

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.catalog.{SupportsRead, Table, TableCapability, TableProvider}
import org.apache.spark.sql.connector.expressions.{Expressions, Literal, NamedReference, Transform}
import org.apache.spark.sql.connector.expressions.filter.Predicate
import org.apache.spark.sql.connector.read._
import org.apache.spark.sql.types.{LongType, StructType}
import org.apache.spark.sql.util.CaseInsensitiveStringMap

/** A source of the numbers 0 to 199,999 in ten partitions, as `id` and as `other`, which takes filters on `id` while a
  * query runs; with the option `equal=false`, one whose batches are equal to nothing.
  */
class PartitionedNumbers extends TableProvider {
  private val names = new StructType().add("id", LongType).add("other", LongType)

  override def inferSchema(options: CaseInsensitiveStringMap): StructType = names

  override def getTable(
      schema: StructType,
      partitioning: Array[Transform],
      properties: util.Map[String, String]
  ): Table =
    new Table with SupportsRead {
      override def name: String = "numbers"
      override def schema: StructType = names
      override def capabilities: util.Set[TableCapability] =
        util.Collections.singleton(TableCapability.BATCH_READ)
      override def newScanBuilder(options: CaseInsensitiveStringMap): ScanBuilder =
        () => new NumbersScan(names, options.getBoolean("equal", true))
    }
}

object PartitionedNumbers {
  val PerPartition = 20000L

  /** What scans were told, since a test has cleared it. */
  val told = ArrayBuffer.empty[Predicate]
}

class NumbersScan(columns: StructType, equal: Boolean) extends Scan with Batch with SupportsRuntimeV2Filtering
    with SupportsReportStatistics {
  private var starts: Seq[Long] = 0L until 10 * PartitionedNumbers.PerPartition by
    PartitionedNumbers.PerPartition

  override def readSchema: StructType = columns
  override def toBatch: Batch = if (equal) this else new SameNumbers(this)
  override def planInputPartitions: Array[InputPartition] = starts.map(Numbers(_): InputPartition).toArray
  override def createReaderFactory: PartitionReaderFactory = new NumbersReader(starts.size < 10)
  override def filterAttributes: Array[NamedReference] = Array(Expressions.column("id"))

  override def estimateStatistics: Statistics = new Statistics {
    override def sizeInBytes: util.OptionalLong = util.OptionalLong.of(1L << 30)
    override def numRows: util.OptionalLong = util.OptionalLong.empty
  }

  override def filter(predicates: Array[Predicate]): Unit = {
    PartitionedNumbers.told ++= predicates
    starts = starts.filter(start =>
      predicates.forall(mayHold(_, start, start + PartitionedNumbers.PerPartition - 1))
    )
  }

  private def mayHold(predicate: Predicate, from: Long, to: Long): Boolean = {
    def values = predicate.children.collect { case literal: Literal[_] => literal.value.asInstanceOf[Long] }
    def operands = predicate.children.collect { case operand: Predicate => mayHold(operand, from, to) }
    predicate.name match {
      case "AND" => operands.forall(identity)
      case "OR" => operands.exists(identity)
      case ">=" => to >= values.head
      case "<=" => from <= values.head
      case "=" | "IN" => values.exists(value => from <= value && value <= to)
    }
  }
}

/** What reads the same and is equal to nothing else. */
private class SameNumbers(as: Batch) extends Batch {
  override def planInputPartitions: Array[InputPartition] = as.planInputPartitions
  override def createReaderFactory: PartitionReaderFactory = as.createReaderFactory
}

private final case class Numbers(start: Long) extends InputPartition

/** Where some partitions are left out the others could come in batches, as in a source with files of several formats.
  */
private class NumbersReader(inBatches: Boolean) extends PartitionReaderFactory {
  override def supportColumnarReads(partition: InputPartition): Boolean = inBatches

  override def createReader(partition: InputPartition): PartitionReader[InternalRow] =
    new PartitionReader[InternalRow] {
      private var id = partition.asInstanceOf[Numbers].start - 1
      private val last = id + PartitionedNumbers.PerPartition

      override def next(): Boolean = {
        id += 1
        id <= last
      }
      override def get: InternalRow = InternalRow(id, id)
      override def close(): Unit = ()
    }
}
