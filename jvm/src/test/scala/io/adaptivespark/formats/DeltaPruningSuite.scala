package io.adaptivespark.formats

import java.io.{File, FileNotFoundException}
import java.nio.charset.StandardCharsets
import java.nio.file.Files.{createTempDirectory, write}

import scala.util.Try

import com.fasterxml.jackson.databind.ObjectMapper
import org.apache.hadoop.fs.Path
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.execution.FileSourceScanExec
import org.apache.spark.sql.execution.datasources.FileIndex
import org.apache.spark.sql.types.{LongType, MetadataBuilder, StructField, StructType}
import org.scalatest.funsuite.AnyFunSuite

import io.adaptivespark.scan.DeltaIndex

/** The keys of a join leave out files of Delta Lake by its log, and row groups within files. */
class DeltaPruningSuite extends AnyFunSuite with DeltaSuite {
  import DeltaPruningSuite._

  override protected def staticConf: Map[String, String] = super.staticConf ++ Map(
    "spark.sql.dynamicFilter.minProbeSize" -> "0",
    "spark.hadoop.parquet.block.size" -> "16384",
    "spark.hadoop.parquet.page.size" -> "2048"
  )

  private lazy val tables: Unit = {
    spark.sql("CREATE TABLE dim USING delta AS SELECT id + 42000 AS k, id % 2 AS dep FROM range(20)")
    create("plain", "'delta.enableDeletionVectors' = 'false'")
    create("deleted", "'delta.enableDeletionVectors' = 'true'")
    spark.sql("DELETE FROM deleted WHERE id % 3 = 0")
    // The name of the key held other numbers before.
    create("renamed", "'delta.columnMapping.mode' = 'name'")
    Seq("id TO swapped", "other TO id", "swapped TO other").foreach(names =>
      spark.sql(s"ALTER TABLE renamed RENAME COLUMN $names")
    )
  }

  private def create(table: String, properties: String): Unit = {
    spark.sql(s"CREATE TABLE $table (id BIGINT, other BIGINT) USING delta TBLPROPERTIES ($properties)")
    spark.range(0, Rows, 1, Files).selectExpr("id", s"$Rows - id AS other")
      .write.format("delta").mode("append").saveAsTable(table)
  }

  for {
    table <- Seq("plain", "deleted", "renamed")
    (strategy, threshold) <- Seq("broadcast" -> "10MB", "sort merge" -> "-1")
  } test(s"$table, $strategy: files and row groups without a key are not read") {
    tables
    val query = s"SELECT count(*), sum(t.id), min(t.other) FROM $table t JOIN dim ON t.id = k WHERE dep = 1"
    val tag = s"$table, $strategy"
    withConf(
      "spark.sql.autoBroadcastJoinThreshold" -> threshold,
      "spark.sql.adaptiveFilter.queryTag" -> tag
    ) {
      val scan = pruned(query, table)
      val rows = scan.metrics("numOutputRows").value
      // 20 numbers in a row lie in one file or two, and in few of the row groups there
      assert(scan.metrics("numFiles").value <= 2)
      assert(files(tag) == ((Files.toLong, scan.metrics("numFiles").value)))
      assert(rows > 0 && rows < Rows / Files / 2)
    }
  }

  test("keys skip nothing by a decimal, which files from before its type was widened have in fewer bytes") {
    tables
    spark.range(0, Rows, 1, Files).selectExpr("cast(id AS decimal(9, 0)) AS d", "id AS other")
      .write.format("delta").option("delta.enableTypeWidening", "true").saveAsTable("decimals")
    val widened = Try(spark.sql("ALTER TABLE decimals ALTER COLUMN d TYPE DECIMAL(20, 0)"))
    assume(widened.isSuccess, s"This release of Delta Lake widens no decimal: $widened")
    val query =
      "SELECT count(*), min(t.other) FROM decimals t JOIN dim ON d = cast(k AS decimal(20, 0)) WHERE dep = 1"
    assert(pruned(query, "decimals").metrics("numOutputRows").value == Rows)
  }

  test("a column that is found by its id has its rows where another one has had its name") {
    tables
    // the files of a table that was Iceberg's, two of whose columns were renamed since
    val path = createTempDirectory("found_by_id").resolve("table")
    val written = StructType(Seq(stored("id", 1), stored("other", 2)))
    val rows = spark.range(0, Rows, 1, 1).selectExpr("id + 1000000 AS id", "id AS other").rdd
    spark.createDataFrame(rows, written).write.parquet(path.toString)
    spark.sql(s"CREATE TABLE found_by_id USING delta LOCATION '${logged(path.toFile)}'")
    val query = "SELECT count(*), min(t.k) FROM found_by_id t JOIN dim ON t.id = dim.k WHERE dep = 1"
    val scan = pruned(query, "found_by_id")
    assert(scan.metrics("numOutputRows").value == Rows)
  }

  test("keys leave out files of a scan with subqueries") {
    tables
    spark.sql("CREATE TABLE parted (p BIGINT, id BIGINT) USING delta PARTITIONED BY (p)")
    spark.range(0, Rows, 1, Files).selectExpr("id % 2 AS p", "id").write.format("delta").mode("append")
      .saveAsTable("parted")
    val scalar =
      "SELECT count(*) FROM plain t JOIN dim ON t.id = k WHERE dep = 1 AND t.other >= (SELECT min(k) FROM dim)"
    assert(pruned(scalar, "plain").metrics("numFiles").value <= 2)
    val ofPartitions =
      """SELECT count(*) FROM parted t JOIN dim ON t.id = k
        |JOIN (SELECT k % 2 AS q FROM dim WHERE k > 42017) ON p = q WHERE dep = 1""".stripMargin
    assert(pruned(ofPartitions, "parted").metrics("numFiles").value <= 4)
  }

  test("files stay as they were chosen where the log cannot be asked once more") {
    tables
    val scan = collect(spark.sql("SELECT * FROM plain").queryExecution.executedPlan) {
      case read: FileSourceScanExec => read
    }.head
    val files = scan.relation.location
    val asked = scan.copy(relation =
      scan.relation.copy(location = new FileIndex {
        override def listFiles(ofPartitions: Seq[Expression], ofData: Seq[Expression]) =
          throw new FileNotFoundException("00000000000000000000.json")
        override def rootPaths: Seq[Path] = files.rootPaths
        override def inputFiles: Array[String] = files.inputFiles
        override def refresh(): Unit = files.refresh()
        override def sizeInBytes: Long = files.sizeInBytes
        override def partitionSchema: StructType = files.partitionSchema
      })(scan.relation.sparkSession)
    )
    val said = warnings(assert(DeltaIndex.chosen(asked, scan) eq scan))
    assert(said.exists(_.contains("The keys of a join leave out no file of")))
  }

  test("a time from when offsets of zones had seconds is found in the file that has it") {
    withConf("spark.sql.session.timeZone" -> "Africa/Monrovia") {
      spark.range(0, Rows, 1, Files)
        .selectExpr("TIMESTAMP '1900-01-01 00:00:00' + make_interval(0, 0, 0, 0, id) AS t", "id")
        .write.format("delta").saveAsTable("times")
      val last = Seq(3, 6).map(_ * Rows / Files - 1).mkString(", ")
      spark.sql(
        s"CREATE TABLE moments USING delta AS SELECT t AS k, id % 2 AS dep FROM times WHERE id IN ($last)"
      )
      val query = "SELECT count(*), sum(id) FROM times JOIN moments ON t = k WHERE dep = 1"
      assert(pruned(query, "times").metrics("numFiles").value < Files)
    }
  }

  test("all keys of a scan together are few ranges for the query of the log") {
    tables
    spark.range(0, 40, 1, 1).selectExpr("id * 2500 + 7 AS k", "id % 2 AS dep")
      .write.format("delta").mode("overwrite").saveAsTable("spread")
    val dims = Seq("id", "other", "id", "other", "id", "other").zipWithIndex
    val joins = dims.map { case (key, at) =>
      s"LEFT SEMI JOIN spread d$at ON t.$key = d$at.k AND d$at.dep < ${at + 2}"
    }
    withConf("spark.sql.adaptiveFilter.queryTag" -> "spread") {
      planAsStock(s"SELECT /*+ DYNAMIC_FILTER(t) */ count(*) FROM plain t ${joins.mkString(" ")}")
      val told = spark.sql(
        "SELECT count(*), min(ranges), sum(ranges) FROM dynamic_filter_stats() WHERE query_tag = 'spread' AND verdict_code = 'filtered'"
      ).head()
      assert(told.getLong(0) == dims.size && told.getAs[Number](1).longValue > 0)
      assert(told.getAs[Number](2).longValue <= 16)
    }
  }

  for ((strategy, threshold) <- Seq("broadcast" -> "10MB", "sort merge" -> "-1"))
    test(s"$strategy: keys that have left out nothing twice are not asked for again") {
      tables
      spark.range(0, Rows, 1, 1).selectExpr("id AS k", "id % 100 AS dep")
        .write.format("delta").mode("overwrite").saveAsTable("most")
      val tag = s"most, $strategy"
      withConf(
        "spark.sql.autoBroadcastJoinThreshold" -> threshold,
        "spark.sql.adaptiveFilter.queryTag" -> tag
      ) {
        for (_ <- 1 to 3)
          spark.sql("SELECT count(*) FROM plain t JOIN most ON t.id = k WHERE dep < 99").collect()
        val told = spark.sql(
          s"SELECT verdict_code, rows_total FROM dynamic_filter_stats() WHERE query_tag = '$tag' ORDER BY query_id"
        ).collect().map(_.toString)
        assert(told.toSeq == Seq(s"[filtered,$Rows]", s"[filtered,$Rows]", "[kept_too_many,null]"))
      }
    }

  test("a text is found in the file that has it beside what is no UTF-8")(findsTexts("delta"))

  private def stored(name: String, id: Long): StructField =
    StructField(name, LongType, metadata = new MetadataBuilder().putLong("parquet.field.id", id).build())

  /** The folder of Parquet files, once it has a log in which the first column has the id 1 and is `k`, and the second
    * has the id 2 and the name of the first one in the files.
    */
  private def logged(folder: File): File = {
    val schema = StructType(Seq("k" -> 1, "id" -> 2).map { case (name, id) =>
      val mapped = new MetadataBuilder().putLong("delta.columnMapping.id", id.toLong)
        .putString("delta.columnMapping.physicalName", name)
      StructField(name, LongType, metadata = mapped.build())
    })
    val text = new ObjectMapper().writeValueAsString(schema.json)
    val mapping = """{"delta.columnMapping.mode": "id", "delta.columnMapping.maxColumnId": "2"}"""
    val files = folder.listFiles.filter(_.getName.endsWith(".parquet")).map { file =>
      s"""{"add": {"path": "${file.getName}", "size": ${file.length}, "partitionValues": {}, "modificationTime": 0, "dataChange": true}}"""
    }
    val actions = Seq(
      """{"protocol": {"minReaderVersion": 2, "minWriterVersion": 5}}""",
      s"""{"metaData": {"id": "0", "format": {"provider": "parquet", "options": {}}, "schemaString": $text, "partitionColumns": [], "configuration": $mapping}}"""
    )
    val log = new File(folder, "_delta_log")
    assert(log.mkdir())
    write(
      new File(log, "00000000000000000000.json").toPath,
      (actions ++ files).mkString("\n").getBytes(StandardCharsets.UTF_8)
    )
    folder
  }

  /** The scan of `table` in `query`, whose rows are those of stock Spark. */
  private def pruned(query: String, table: String): FileSourceScanExec =
    collectWithSubqueries(planAsStock(query)) {
      case files: FileSourceScanExec if files.tableIdentifier.exists(_.table == table) => files
    }.head
}

private object DeltaPruningSuite {
  private val Rows = 100000L
  private val Files = 10
}
