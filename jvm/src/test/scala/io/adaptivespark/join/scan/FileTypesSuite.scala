package io.adaptivespark.join.scan

import java.net.URL
import java.nio.file.Files

import scala.collection.mutable.ArrayBuffer
import scala.io.Source
import scala.jdk.CollectionConverters._
import scala.util.{Try, Using}

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{BoundReference, Cast, Expression}
import org.apache.spark.sql.execution.FileSourceScanExec
import org.apache.spark.sql.execution.adaptivespark.OneTask
import org.apache.spark.sql.types._
import org.scalatest.funsuite.AnyFunSuite

import io.adaptivespark.{Forms, SparkSuite}
import io.adaptivespark.conf.Build
import io.adaptivespark.join.keys.{KeyDomain, KeyLimits}
import io.adaptivespark.join.keys.testing.ColumnKeys

/** Every pair of a column's type in a file and its type in the table: keys skip no row
  * that Spark reads with such a key.
  *
  * The pairs that Spark's readers accept are listed in `readable-<format>.txt`, with those by which keys skip row
  * groups. A pair that a new Spark accepts makes the list differ; a line whose readers accept others has a list of its
  * own, `readable-<format>-<line>.txt`.
  */
class FileTypesSuite extends AnyFunSuite with SparkSuite {
  import FileTypesSuite._

  for (format <- Seq("parquet", "orc"))
    test(s"no key skips a row that has it, whatever types file and table have, $format") {
      val path = Files.createTempDirectory("types").toString
      val written = if (format == "parquet") TypedFiles.Parquet.write(path) else TypedFiles.Orc.write(path)
      val columns =
        written.zipWithIndex.collect { case (column, i) if isChosen(column.fileType, i) => column }
      val lost = ArrayBuffer.empty[String]
      val found = for {
        column <- columns
        tables = unlogged(tableTypes.map { tableType =>
          val vectorized = read(format, column, tableType, Vectorized)
          val outcomes = Seq(
            Vectorized -> vectorized,
            // The readers accept the same pairs on and off heap, and one that is refused takes as long.
            OffHeap -> vectorized.flatMap(seen =>
              if (Forms.all) read(format, column, tableType, OffHeap) else Some(seen)
            ),
            RowByRow -> read(format, column, tableType, RowByRow)
          ).collect { case (reader, Some(outcome)) => reader -> outcome }
          lost ++= outcomes.flatMap { case (reader, outcome) =>
            outcome.lost.map(rows => s"${column.fileType} as $tableType, $reader: $rows")
          }
          (outcomes.map(_._1), outcomes.exists(_._2.skips), tableType)
        })
        ((by, skips), as) <- tables.groupBy { case (by, skips, _) => (by, skips) }.toSeq
          .sortBy { case ((by, skips), _) => (-by.size, by.mkString, !skips) }
        if by.nonEmpty
      } yield {
        val only = if (by.size == 3) "" else s", only ${by.mkString(" and ")}"
        s"${column.fileType} ${if (skips) "skipped" else "read"}$only as ${as.map(_._3).mkString(", ")}"
      }
      assert(lost.isEmpty, lost.mkString("\n", "\n", ""))
      val listed = Using.resource(Source.fromURL(list(format)))(_.getLines().toList)
      val expected =
        if (Forms.all) listed
        else listed.filter(line =>
          columns.exists { case TypedColumn(_, _, fileType) =>
            line.startsWith(s"$fileType skip") || line.startsWith(s"$fileType read")
          }
        )
      assert(found == expected, s"If no more pairs lose rows, this is the list:\n${found.mkString("\n")}")
    }

  /** The list of this line of Spark where it has its own, else that of the newest. */
  private def list(format: String): URL =
    Seq(s"readable-$format-${Build.sparkLine}.txt", s"readable-$format.txt")
      .flatMap(name => Option(getClass.getClassLoader.getResource(name))).head

  // A tenth of the types is enough for each change, with those that Spark cuts what they hold to.
  private def isChosen(fileType: String, i: Int): Boolean =
    Forms.all || i % 10 == 0 || fileType == "int32" || Seq("(16,true)", "(32,true)").exists(fileType.contains)

  /** Most pairs can't be read, which Spark logs. */
  private def unlogged[T](reading: => T): T = {
    spark.sparkContext.setLogLevel("OFF")
    try reading
    finally spark.sparkContext.setLogLevel("WARN")
  }

  private def read(
      format: String,
      column: TypedColumn,
      tableType: String,
      reader: String
  ): Option[Outcome] =
    withConf(
      "spark.sql.adaptive.enabled" -> "false",
      s"spark.sql.$format.enableVectorizedReader" -> (reader != RowByRow).toString,
      "spark.sql.columnVector.offheap.enabled" -> (reader == OffHeap).toString
    ) {
      val scan =
        spark.read.schema(
          s"`${column.name}` $tableType"
        ).format(format).load(column.path).queryExecution.executedPlan
          .collectFirst { case files: FileSourceScanExec => files }.get
      Try(values(scan, new PrunedScan(scan, Some(scan), Nil, Nil))).toOption.map { all =>
        val attribute = scan.output.head
        val count = all.filter(_ != null).groupBy(identity).map { case (key, rows) => key -> rows.size }
        val probes = attribute +: casts(attribute)
        val mostRows = count.toSeq.sortBy(-_._2).map(_._1).take(MostKeys)
        // one key is a comparison, of several a scan is given a list or ranges
        val joined = mostRows.map(Seq(_)) ++ (if (mostRows.size > 1) Some(mostRows) else None)
        val outcomes = joined.zipWithIndex.map { case (wanted, i) =>
          val probe = probes(i % probes.size)
          val found = keys(probe, attribute, wanted)
          val pruned = values(scan, PruneScan(scan, Seq(probe), Seq(Some(found)), 1024, None))
          val lost = for (key <- wanted; missing = count(key) - pruned.count(_ == key) if missing > 0)
            yield s"$missing of ${count(key)} rows with $key by $probe among ${wanted.size}"
          Outcome(lost, pruned.size < all.size)
        }
        Outcome(outcomes.flatMap(_.lost), outcomes.exists(_.skips))
      }
    }
}

private object FileTypesSuite {
  private val Vectorized = "vectorized"
  private val OffHeap = "off heap"
  private val RowByRow = "row by row"

  /** @param lost
    *   rows that Spark reads with a key and that the key skips
    * @param skips
    *   keys make Spark read fewer rows
    */
  final case class Outcome(lost: Seq[String], skips: Boolean)

  // Those that most rows have: a narrower type makes more values equal.
  private val MostKeys = if (Forms.all) 6 else 3

  val tableTypes: Seq[String] = Seq(
    "boolean",
    "tinyint",
    "smallint",
    "int",
    "bigint",
    "date",
    "timestamp",
    "timestamp_ntz",
    "string",
    "binary",
    "decimal(4,0)",
    "decimal(9,2)",
    "decimal(10,0)",
    "decimal(12,4)",
    "decimal(18,2)",
    "decimal(20,0)",
    "decimal(20,2)",
    "decimal(38,2)"
  )

  /** The values of the only column of `scan`, as `read` of it gives them. */
  def values(scan: FileSourceScanExec, read: PrunedScan): Seq[Any] = OneTask {
    val dataType = scan.output.head.dataType
    val rows: Iterator[InternalRow] =
      if (scan.supportsColumnar) OneTask.rows(read.executeColumnar()).flatMap(_.rowIterator.asScala)
      else OneTask.rows(read.execute())
    rows.map(row => if (row.isNullAt(0)) null else comparable(row.get(0, dataType))).toVector
  }

  private def comparable(value: Any): Any = value match {
    case bytes: Array[Byte] => bytes.toSeq
    case other => InternalRow.copyValue(other)
  }

  /** Casts under which a key may have the values of `column`. */
  def casts(column: Expression): Seq[Expression] = column.dataType match {
    case ByteType | ShortType | IntegerType => Seq(Cast(column, LongType), Cast(column, DecimalType(20, 2)))
    case decimal: DecimalType => Seq(Cast(column, DecimalType(38, decimal.scale)))
    case _ => Nil
  }

  /** What a build side would tell of its keys: the values of `probe` where `column` has `values`. */
  def keys(probe: Expression, column: Expression, values: Seq[Any]): ColumnKeys = {
    val collector = KeyDomain.of(probe.dataType).get.collector(KeyLimits())
    val add = collector.adding(probe.transform { case `column` => BoundReference(0, column.dataType, true) })
    values.foreach {
      case bytes: Seq[Byte @unchecked] => add(InternalRow(bytes.toArray))
      case other => add(InternalRow(other))
    }
    new ColumnKeys(probe.dataType, collector.summary)
  }
}
