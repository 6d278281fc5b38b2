package io.adaptivespark.join.scan

import java.math.BigInteger
import java.nio.{ByteBuffer, ByteOrder}
import java.sql.Timestamp

import scala.util.Try

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.hadoop.hive.common.`type`.HiveDecimal
import org.apache.hadoop.hive.ql.exec.vector._
import org.apache.orc.{OrcFile, TypeDescription}
import org.apache.parquet.example.data.Group
import org.apache.parquet.example.data.simple.SimpleGroupFactory
import org.apache.parquet.hadoop.example.ExampleParquetWriter
import org.apache.parquet.io.api.Binary
import org.apache.parquet.schema.MessageTypeParser

import io.adaptivespark.join.OneRowGroups

/** A column of files below a path, and its type there. */
final private[adaptivespark] case class TypedColumn(path: String, name: String, fileType: String)

/** Files with a column of each type of their format, whose values differ in bits that narrower types lack. */
private[adaptivespark] object TypedFiles {

  // Many of these are equal in their lower 8, 16 or 32 bits.
  private val integers = Seq(
    5L,
    0,
    -1,
    97,
    100,
    127,
    -128,
    200,
    0x105,
    -251,
    32767,
    -32768,
    40000,
    0x10005,
    0x20061,
    -65531,
    Int.MaxValue,
    Int.MinValue,
    (1L << 32) + 5,
    97 - (1L << 32),
    Long.MaxValue,
    Long.MinValue
  )

  private def within(least: Long, most: Long): Seq[Long] = integers.filter(v => v >= least && v <= most)
  private def digits(precision: Int): Seq[Long] = {
    val most = BigInt(10).pow(precision).min(BigInt(Long.MaxValue)).toLong - 1
    within(-most, most) ++ Seq(most, -most, most / 100 * 100)
  }
  private val texts = Seq("5", "a", "b", "abc", "abc ", "abcd", "abcde", "é", "1.50", "-1", "\uFF21", "")

  /** One file with a column for each of Parquet's types, and with a row group for each row. */
  object Parquet {
    private val ints = Seq(
      "int32 v" -> within(Int.MinValue, Int.MaxValue),
      "int32 v (INTEGER(8,true))" -> within(-128, 127),
      "int32 v (INTEGER(16,true))" -> within(-32768, 32767),
      "int32 v (INTEGER(32,true))" -> within(Int.MinValue, Int.MaxValue),
      "int32 v (INTEGER(8,false))" -> within(0, 255),
      "int32 v (INTEGER(16,false))" -> within(0, 65535),
      "int32 v (INTEGER(32,false))" -> within(Int.MinValue, Int.MaxValue),
      "int32 v (DATE)" -> within(-32768, 0x20061),
      "int32 v (TIME(MILLIS,true))" -> within(0, 86400000),
      "int32 v (DECIMAL(4,0))" -> digits(4),
      "int32 v (DECIMAL(9,2))" -> digits(9),
      "int64 v" -> integers,
      "int64 v (INTEGER(64,true))" -> integers,
      "int64 v (INTEGER(64,false))" -> integers,
      "int64 v (TIMESTAMP(MILLIS,true))" -> within(-(1L << 33), 1L << 33),
      "int64 v (TIMESTAMP(MICROS,true))" -> within(-(1L << 33), 1L << 33),
      "int64 v (TIMESTAMP(NANOS,true))" -> within(-(1L << 33), 1L << 33),
      "int64 v (TIMESTAMP(MILLIS,false))" -> within(-(1L << 33), 1L << 33),
      "int64 v (TIMESTAMP(MICROS,false))" -> within(-(1L << 33), 1L << 33),
      "int64 v (TIMESTAMP(NANOS,false))" -> within(-(1L << 33), 1L << 33),
      "int64 v (TIME(MICROS,true))" -> within(0, 1L << 33),
      "int64 v (TIME(NANOS,true))" -> within(0, 1L << 33),
      "int64 v (DECIMAL(9,2))" -> digits(9),
      "int64 v (DECIMAL(10,0))" -> digits(10),
      "int64 v (DECIMAL(18,2))" -> digits(18),
      "boolean v" -> Seq(0L, 1L),
      "float v" -> integers,
      "double v" -> integers
    )
    private val bytes = Seq(
      "int96 v" -> within(-32768, 0x20061).map(days =>
        ByteBuffer.allocate(12).order(ByteOrder.LITTLE_ENDIAN).putLong(1000L).putInt(2440588 +
          days.toInt).array
      ),
      "binary v" -> texts.map(_.getBytes("UTF-8")),
      "binary v (STRING)" -> texts.map(_.getBytes("UTF-8")),
      "binary v (ENUM)" -> texts.map(_.getBytes("UTF-8")),
      "binary v (JSON)" -> texts.map(_.getBytes("UTF-8")),
      "binary v (BSON)" -> texts.map(_.getBytes("UTF-8")),
      "binary v (DECIMAL(9,2))" -> digits(9).map(BigInt(_).toByteArray),
      "binary v (DECIMAL(20,2))" -> digits(20).map(BigInt(_).toByteArray),
      "fixed_len_byte_array(4) v (DECIMAL(9,2))" -> digits(9).map(fixed(_, 4)),
      "fixed_len_byte_array(8) v (DECIMAL(18,2))" -> digits(18).map(fixed(_, 8)),
      "fixed_len_byte_array(9) v (DECIMAL(20,2))" -> digits(20).map(fixed(_, 9)),
      "fixed_len_byte_array(16) v (DECIMAL(38,2))" -> digits(20).map(fixed(_, 16)),
      "fixed_len_byte_array(4) v" -> integers.map(v => fixed(v.toInt.toLong, 4)),
      "fixed_len_byte_array(16) v (UUID)" -> integers.map(fixed(_, 16)),
      "fixed_len_byte_array(2) v (FLOAT16)" -> within(0, 30000).map(fixed(_, 2))
    )

    private def fixed(value: Long, length: Int): Array[Byte] = {
      val short = BigInt(value).toByteArray
      Array.fill(length - short.length)(if (value < 0) -1.toByte else 0.toByte) ++ short
    }

    /** The columns, all in one file. */
    def write(path: String): Seq[TypedColumn] = {
      val all = (ints ++ bytes).filter { case (fileType, _) => isKnown(fileType) }.zipWithIndex.map {
        case ((fileType, values), i) => (s"c$i", fileType, values)
      }
      val fields = all.map { case (name, fileType, _) =>
        s"optional ${fileType.replaceFirst(" v", s" $name")};"
      }
      val schema = MessageTypeParser.parseMessageType(s"message m { ${fields.mkString(" ")} }")
      val writer =
        OneRowGroups(ExampleParquetWriter.builder(new Path(path, "part.parquet")).withType(schema)).build()
      val groups = new SimpleGroupFactory(schema)
      try for (row <- 0 until all.map(_._3.size).max) {
          val group = groups.newGroup()
          for ((name, fileType, values) <- all; value <- values.lift(row))
            add(group, name, fileType.takeWhile(_ != ' '), value)
          writer.write(group)
        }
      finally writer.close()
      all.map { case (name, fileType, _) => TypedColumn(path, name, fileType.replaceFirst(" v", "")) }
    }

    // Spark 3.5's Parquet has no FLOAT16.
    private def isKnown(fileType: String): Boolean =
      Try(MessageTypeParser.parseMessageType(s"message m { optional $fileType; }")).isSuccess

    private def add(group: Group, name: String, physical: String, value: Any): Unit = value match {
      case array: Array[Byte] => group.add(name, Binary.fromConstantByteArray(array))
      case number: Long => physical match {
          case "int32" => group.add(name, number.toInt)
          case "boolean" => group.add(name, number == 1)
          case "float" => group.add(name, number.toFloat)
          case "double" => group.add(name, number.toDouble)
          case _ => group.add(name, number)
        }
    }
  }

  /** One file with a column for each of ORC's types, and with a thousand rows, which are a group, for each value. */
  object Orc {
    private val Stride = 1000
    private val columns: Seq[(String, Seq[Any])] = Seq(
      "boolean" -> Seq(0L, 1L),
      "tinyint" -> within(-128, 127),
      "smallint" -> within(-32768, 32767),
      "int" -> within(Int.MinValue, Int.MaxValue),
      "bigint" -> integers,
      "float" -> within(-32768, 32767),
      "double" -> within(Int.MinValue, Int.MaxValue),
      "date" -> within(-32768, 0x20061),
      "timestamp" -> within(-(1L << 33), 1L << 33),
      "timestamp with local time zone" -> within(-(1L << 33), 1L << 33),
      "string" -> texts,
      "varchar(4)" -> texts,
      "char(4)" -> texts,
      "binary" -> texts,
      "decimal(4,0)" -> digits(4),
      "decimal(9,2)" -> digits(9),
      "decimal(18,2)" -> digits(18),
      "decimal(38,2)" -> digits(18)
    )

    /** The columns, each in a file of its own: Spark 4.0 reads no column of a file that has a time with a zone. */
    def write(path: String): Seq[TypedColumn] =
      for (((fileType, values), i) <- columns.zipWithIndex) yield {
        val column = TypedColumn(s"$path/$i", s"c$i", fileType)
        write(column, values)
        column
      }

    private def write(column: TypedColumn, values: Seq[Any]): Unit = {
      val fileType = TypeDescription.fromString(column.fileType)
      val schema = TypeDescription.createStruct().addField(column.name, fileType)
      val options = OrcFile.writerOptions(new Configuration()).setSchema(schema).rowIndexStride(Stride)
      val writer = OrcFile.createWriter(new Path(column.path, "part.orc"), options)
      val batch = schema.createRowBatch(Stride)
      try for (value <- values.map(Option(_)) :+ None) {
          batch.reset()
          batch.cols(0).isRepeating = true
          value match {
            case Some(value) => set(batch.cols(0), value, fileType)
            case None =>
              batch.cols(0).noNulls = false
              batch.cols(0).isNull(0) = true
          }
          batch.size = Stride
          writer.addRowBatch(batch)
        }
      finally writer.close()
    }

    private def set(column: ColumnVector, value: Any, fileType: TypeDescription): Unit =
      (column, value) match {
        case (longs: LongColumnVector, number: Long) => longs.vector(0) = number
        case (doubles: DoubleColumnVector, number: Long) => doubles.vector(0) = number.toDouble
        case (times: TimestampColumnVector, number: Long) => times.set(0, new Timestamp(number))
        case (decimals: Decimal64ColumnVector, number: Long) => decimals.vector(0) = number
        case (decimals: DecimalColumnVector, number: Long) =>
          decimals.set(0, HiveDecimal.create(BigInteger.valueOf(number), fileType.getScale))
        case (bytes: BytesColumnVector, text: String) => bytes.setVal(0, text.getBytes("UTF-8"))
        case _ => throw new IllegalArgumentException(s"$fileType")
      }
  }
}
