package io.adaptivespark.scan

import java.nio.file.Files

import scala.concurrent.Await
import scala.concurrent.duration.DurationInt
import scala.util.Try

import org.apache.spark.sql.{DataFrame, Row}
import org.apache.spark.sql.catalyst.expressions.{Attribute, EqualTo, Literal}
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat
import org.apache.spark.sql.types.{LongType, StructType}
import org.apache.spark.unsafe.types.UTF8String
import org.scalatest.funsuite.AnyFunSuite

import io.adaptivespark.SparkSuite
import io.adaptivespark.join.PartitionedNumbers

class ScanKindSuite extends AnyFunSuite with SparkSuite {
  import Skipping._

  private lazy val folder = {
    val path = Files.createTempDirectory("kinds").toString
    val rows = spark.range(0, 1000, 1, 1)
      .selectExpr("id", "timestamp_seconds(id) AS ts", "cast(id AS string) AS s", "id div 500 AS p")
    for (format <- formats) rows.write.partitionBy("p").format(format).save(s"$path/$format")
    path
  }
  private val formats = Seq("parquet", "orc", "csv")
  private val schema = "id BIGINT, ts TIMESTAMP, s STRING, p BIGINT"

  private def files(format: String): ScanKind =
    kind(spark.read.schema(schema).format(format).load(s"$folder/$format"))
  private def kind(query: DataFrame): ScanKind = ScanKind.of(leaf(query))
  private def leaf(query: DataFrame): SparkPlan = query.queryExecution.sparkPlan.collectLeaves().head

  private def column(kind: ScanKind, name: String): Attribute = kind.scan.output.find(_.name == name).get
  private def skipping(kind: ScanKind): Seq[Option[Skipping]] =
    kind.scan.output.map(kind.skipping)
  private def rows(kind: ScanKind): Option[Long] = Try(Await.result(kind.rows, 1.minute)).toOption
  private def narrowed(kind: ScanKind): SparkPlan =
    kind.narrowed(Seq(Seq(EqualTo(column(kind, "id"), Literal(900L)))), None)

  test("files are skipped in by their format, and partitions whole") {
    def all(of: Seq[Option[Skipping]]) = of :+ Some(ByRanges)
    assert(skipping(files("parquet")) == all(Seq.fill(3)(Some(ByRanges))))
    assert(skipping(files("orc")) == all(Seq(Some(ByValues), Some(ByTimes), Some(ByValues))))
    assert(skipping(files("csv")) == all(Seq.fill(3)(None)))
    for (format <- Seq("parquet", "orc"))
      withConf(s"spark.sql.$format.filterPushdown" -> "false") {
        assert(skipping(files(format)) == all(Seq.fill(3)(None)), format)
      }
  }

  test("a format of another project, which extends Spark's own, is given no keys but those of partitions") {
    val theirs =
      kind(spark.read.schema(schema).format(classOf[OthersParquet].getName).load(s"$folder/parquet"))
    assert(skipping(theirs) == Seq.fill(3)(None) :+ Some(ByRanges))
    assert(!theirs.countsRowGroups && theirs.isPlain)
  }

  test("rows of files are known where their format has footers") {
    def ofOne(format: String) =
      rows(kind(spark.read.schema(schema).format(format).load(s"$folder/$format/p=0")))
    assert(formats.map(ofOne) == Seq(Some(500), Some(500), None))
  }

  test("keys of a column save its share of a scan's bytes, keys of a partition all of them") {
    val read = kind(spark.read.schema(schema).parquet(s"$folder/parquet").select("id", "p"))
    val share = read.bytesSavedBy(column(read, "id")).toDouble / read.bytes
    // 8 bytes of 8, 8 and 20
    assert(read.bytes > 0 && share > 0.2 && share < 0.25)
    assert(read.bytesSavedBy(column(read, "p")) == read.bytes)
  }

  test("a file's reader is told what it compares as Spark does") {
    val (late, damaged) =
      (Literal(UTF8String.fromString("\uE000")), Literal(UTF8String.fromBytes(Array(-1))))
    def told(format: String, name: String) =
      Seq(late, damaged).map(files(format).isTold(column(files(format), name)))
    assert(told("parquet", "s") == Seq(true, false))
    assert(told("orc", "s") == Seq(false, false))
    assert(formats.map(told(_, "p")).distinct == Seq(Seq(true, true)))
  }

  test("few ranges are worth giving to a few files, any number to partitions") {
    val kind = files("parquet")
    assert(kind.ranges(column(kind, "id"), few = 64, most = 1000) == 64)
    assert(kind.ranges(column(kind, "id"), few = 64, most = 10) == 10)
    assert(kind.ranges(column(kind, "p"), few = 64, most = 1000) == 1000)
  }

  test("names are those that a user knows, and shorter ones for other targets") {
    assert(files("orc").table.get.endsWith("/orc") && files("orc").relativeName == "orc")
    val two = kind(spark.read.schema("id BIGINT").parquet(s"$folder/parquet/p=0", s"$folder/parquet/p=1"))
    assert(two.table.get.endsWith("/p=0 and 1 more") && two.relativeName == "p=0, p=1")
    spark.sql("CREATE TABLE kept USING parquet AS SELECT 1 AS id")
    val kept = kind(spark.table("kept"))
    assert(kept.table.contains("spark_catalog.default.kept") && kept.relativeName == "kept")
    val cached = kind(spark.table("kept").selectExpr("id + 1 AS next").cache())
    assert(cached.table.contains("spark_catalog.default.kept") && cached.relativeName == "next")
  }

  test("a cached table is skipped in by ranges, and is known once it is there") {
    val query = spark.range(0, 100, 1, 2).selectExpr("id", "cast('x' AS binary) AS b").cache()
    assert(kind(query).isCaching && rows(kind(query)).isEmpty)
    query.count()
    assert(!kind(query).isCaching && rows(kind(query)).contains(100L) && kind(query).bytes < 100000)
    assert(skipping(kind(query)) == Seq(Some(ByRanges), None) && kind(query).madeBy.isDefined)
    withConf("spark.sql.inMemoryColumnarStorage.partitionPruning" -> "false") {
      assert(skipping(kind(query)) == Seq(None, None))
    }
  }

  private def numbers(equal: Boolean): ScanKind =
    kind(spark.read.format(classOf[PartitionedNumbers].getName).option("equal", equal.toString).load())

  test("a source of DataSource V2 is given lists of values, for good, by the columns that it names") {
    val kind = numbers(equal = true)
    assert(skipping(kind) == Seq(Some(ByValues), None) && kind.keepsPredicates)
    assert(kind.table.contains("numbers") && rows(kind).isEmpty)
    assert(kind.sharesPredicates(narrowed(kind)) && !kind.sharesPredicates(numbers(equal = true).scan))
    assert(kind.isReused && !numbers(equal = false).isReused)
  }

  test("rows that a query makes are read from nowhere") {
    val (values, range) = (kind(spark.sql("SELECT * FROM VALUES (1) AS v(id)")), kind(spark.range(9).toDF()))
    assert(Seq(values, range).map(_.bytes) == Seq(0, 0) && values.isReduced && !range.isReduced)
    assert(Seq(values, range).forall(kind => kind.table.isEmpty && !kind.isPlain))
  }

  test("an operator of which nothing is known is given nothing, and counts as large") {
    val one = spark.sparkContext.parallelize(Seq(Row(1L)))
    val kind = this.kind(spark.createDataFrame(one, new StructType().add("id", LongType)))
    assert(!kind.isPlain && skipping(kind).forall(_.isEmpty) && rows(kind).isEmpty)
    assert(kind.bytes > (1L << 40) && kind.bytes * 1000 > 0)
    assert(narrowed(kind) eq kind.scan)
  }

  test("a join key is followed to scans of Spark's own classes, and not to those that were given keys") {
    val cached = kind(spark.range(10).toDF().cache())
    assert((formats.map(files) ++ Seq(cached, numbers(equal = true))).forall(_.isPlain))
    assert((formats.map(files) :+ cached).forall(kind => !ScanKind.of(narrowed(kind)).isPlain))
  }
}

/** A format of another project. */
class OthersParquet extends ParquetFileFormat
