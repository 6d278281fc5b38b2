package io.adaptivespark.formats

import java.io.File
import java.nio.file.Files.createTempDirectory

import scala.util.Try

import org.apache.spark.sql.execution.datasources.v2.BatchScanExec
import org.scalatest.funsuite.AnyFunSuite

import io.adaptivespark.filter.exec.{AdaptiveColumnarFilterExec, AdaptiveFilter}
import io.adaptivespark.join.exec.DynamicFilterExec

/** The keys of a join leave out files of Iceberg by its manifests, and row groups within files. */
class IcebergPruningSuite extends AnyFunSuite with IcebergSuite {
  import IcebergCalls.{call, classNamed}
  import IcebergPruningSuite._

  override protected def staticConf: Map[String, String] =
    super.staticConf + ("spark.sql.dynamicFilter.minProbeSize" -> "0")

  private lazy val tables: Unit = {
    spark.sql(s"CREATE DATABASE $catalog.pruning")
    spark.sql(s"USE $catalog.pruning")
    spark.sql("CREATE TABLE dim USING iceberg AS SELECT id + 42000 AS k, id % 2 AS dep FROM range(20)")
    create("plain")
    create("deleted", properties = "'write.delete.mode' = 'merge-on-read'")
    spark.sql("DELETE FROM deleted WHERE id % 3 = 0")
    create("vectors", properties = "'format-version' = '3', 'write.delete.mode' = 'merge-on-read'")
    spark.sql("DELETE FROM vectors WHERE id % 3 = 0")
    create("in_buckets", partitions = "PARTITIONED BY (bucket(40, id))")
    create("in_orc", properties = "'write.format.default' = 'orc', 'write.orc.stripe-size-bytes' = '8192'")
    // The name of the key held other numbers before.
    create("renamed")
    swapNames("renamed")
  }

  private def swapNames(table: String): Unit =
    Seq("id TO swapped", "other TO id", "swapped TO other").foreach(names =>
      spark.sql(s"ALTER TABLE $table RENAME COLUMN $names")
    )

  private def create(table: String, partitions: String = "", properties: String = "'a' = 'b'"): Unit = {
    spark.sql(
      s"CREATE TABLE $table (id BIGINT, other BIGINT) USING iceberg $partitions " +
        s"TBLPROPERTIES (${IcebergSuite.SmallRowGroups}, $properties)"
    )
    spark.range(0, Rows, 1, Files).selectExpr("id", s"$Rows - id AS other")
      .writeTo(table).append()
  }

  test("a text is found in the file that has it beside what is no UTF-8") {
    tables
    findsTexts("iceberg")
  }

  for {
    // a file has 10,000 rows, a stripe 5,120, and ten of 40 buckets have 25,000
    (table, most) <- Seq("plain", "deleted", "vectors", "renamed").map(_ -> 5000) ++
      Seq("in_orc" -> 10000, "in_buckets" -> 16000)
    (strategy, threshold) <- Seq("broadcast" -> "10MB", "sort merge" -> "-1")
  } test(s"$table, $strategy: files and row groups without a key are not read") {
    tables
    val query = s"SELECT count(*), sum(t.id), min(t.other) FROM $table t JOIN dim ON t.id = k WHERE dep = 1"
    val tag = s"$table, $strategy"
    withConf(
      "spark.sql.autoBroadcastJoinThreshold" -> threshold,
      "spark.sql.adaptiveFilter.queryTag" -> tag
    ) {
      val scan = pruned(query)
      val rows = scan.metrics("numOutputRows").value
      assert(rows > 0 && rows < most)
      assert(scan.metrics("numSplits").value > 0, "Iceberg's own metrics are those of the scan that is shown")
      // Spark itself leaves out buckets, too
      if (table != "in_buckets") {
        val (all, read) = files(tag)
        assert(all == Files && read > 0 && read < Files / 2)
      }
    }
  }

  for (
    (what, condition) <- Seq("what Iceberg stores" -> "t._pos = k", "numbers of its own" -> "t.id + 1 = k")
  )
    test(s"keys skip nothing by $what") {
      tables
      assert(filters(s"SELECT /*+ DYNAMIC_FILTER(t) */ count(*) FROM plain t JOIN dim ON $condition").isEmpty)
    }

  test("each step of a recursive CTE reads the whole table") {
    tables
    val counting =
      "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < 2) SELECT n FROM r"
    assume(Try(stock(spark.sql(counting).collect())).isSuccess, "This Spark runs no recursive CTE.")
    spark.sql("CREATE TABLE edges (src BIGINT, dst BIGINT) USING iceberg")
    for (src <- 1 to 5) spark.sql(s"INSERT INTO edges VALUES ($src, ${src + 1})")
    for (hint <- Seq("BROADCAST(r)", "MERGE(r)"); aqe <- Seq("true", "false"))
      withConf("spark.sql.adaptive.enabled" -> aqe) {
        val query =
          s"""WITH RECURSIVE r(n) AS (SELECT 1L UNION ALL
             |SELECT /*+ $hint */ e.dst FROM r JOIN edges e ON e.src = r.n) SELECT count(*) FROM r""".stripMargin
        assert(sorted(spark.sql(query)) == Seq("[6]"), s"$hint, $aqe")
      }
  }

  test(
    "times are found in imported files, whose bounds Iceberg takes for microseconds and are milliseconds"
  ) {
    tables
    val path = createTempDirectory("millis").toString
    withConf("spark.sql.parquet.outputTimestampType" -> "TIMESTAMP_MILLIS")(
      spark.range(0, 1000, 1, 1).selectExpr("id", "timestamp_seconds(1577836800 + id) AS ts")
        .write.mode("overwrite").parquet(path)
    )
    spark.sql("CREATE TABLE imported (id BIGINT, ts TIMESTAMP) USING iceberg")
    spark.sql(
      s"CALL $catalog.system.add_files(table => 'pruning.imported', source_table => '`parquet`.`$path`')"
    )
    spark.sql("INSERT INTO imported SELECT id, timestamp_seconds(1700000000 + id) FROM range(10)")
    spark.sql("CREATE TABLE times USING iceberg AS SELECT ts AS k, id % 4 AS dep FROM imported WHERE id > 9")
    val query =
      "SELECT /*+ DYNAMIC_FILTER(t), BROADCAST(times) */ count(*) FROM imported t JOIN times ON t.ts = k WHERE dep = 1"
    assert(filters(query).size == 1 && sorted(spark.sql(query)) == Seq("[247]"))
  }

  test("a long decimal is looked for in files that have shorter ones, and bloom filters") {
    tables
    spark.sql(
      "CREATE TABLE sums (d DECIMAL(20, 2)) USING iceberg TBLPROPERTIES ('write.parquet.bloom-filter-enabled.column.d' = 'true')"
    )
    spark.sql("INSERT INTO sums VALUES (1.00), (2.00), (3.00)")
    spark.sql("ALTER TABLE sums ALTER COLUMN d TYPE DECIMAL(38, 2)")
    spark.sql(
      """CREATE TABLE amounts USING iceberg AS SELECT cast(d AS DECIMAL(38, 2)) AS k, dep
        |FROM VALUES ('1.00', 1), ('-10000000000000000000000000', 1), ('2', 0) v(d, dep)""".stripMargin
    )
    val query =
      "SELECT /*+ DYNAMIC_FILTER(t), BROADCAST(amounts) */ t.d FROM sums t JOIN amounts ON t.d = k WHERE dep = 1"
    assert(filters(query).size == 1 && sorted(spark.sql(query)) == Seq("[1.00]"))
  }

  test("keys skip nothing by a UUID, or by a column with a default, which files lack") {
    tables
    create("added", properties = "'format-version' = '3'")
    addColumns("added")
    spark.sql("INSERT INTO added SELECT id, id, uuid(), 1 FROM range(1000)")
    spark.sql("CREATE TABLE keys USING iceberg AS SELECT u, n, id FROM added WHERE u IS NOT NULL")
    for (key <- Seq("u", "n")) {
      val join = s"added t JOIN keys k ON t.$key = k.$key"
      assert(filters(s"SELECT /*+ DYNAMIC_FILTER(t) */ count(*) FROM $join WHERE k.id % 9 = 1").isEmpty, key)
    }
  }

  /** A UUID and a number with a default, for which Spark has no statements. */
  private def addColumns(table: String): Unit = {
    def ofType(name: String) = call(null, s"types.Types$$$name", "get")
    val changed = call(IcebergCalls.table(spark, s"$catalog.pruning.$table"), "Table", "updateSchema")
    call(changed, "UpdateSchema", "addColumn", "u", ofType("UUIDType"))
    val seven = classNamed("expressions.Literal").getMethod("of", classOf[Int]).invoke(null, Int.box(7))
    call(changed, "UpdateSchema", "addColumn", "n", ofType("IntegerType"), seven)
    call(changed, "PendingUpdate", "commit")
    spark.sql(s"REFRESH TABLE $table")
  }

  test("a version that came after the plan is not read") {
    tables
    create("versions")
    val query = "SELECT count(*), sum(t.other) FROM versions t JOIN dim ON id = k WHERE dep = 1"
    val expected = stock(sorted(spark.sql(query)))
    val planned = spark.sql(query)
    planned.queryExecution.executedPlan
    spark.sql("INSERT OVERWRITE versions SELECT id + 1, other FROM versions WHERE id % 2 = 0")
    assert(sorted(planned) == expected)
  }

  test("a version that is gone once the keys are there is read from the files that were planned") {
    tables
    val query = "SELECT count(*), sum(t.other) FROM gone t JOIN dim ON id = k WHERE dep = 1"
    val later =
      "expire_snapshots(table => 'pruning.gone', older_than => TIMESTAMP '2999-01-01', retain_last => 1)"
    assertStays(query, "gone") {
      spark.sql("INSERT INTO gone VALUES (42001, 1)")
      spark.sql(s"CALL $catalog.system.$later")
    }
  }

  test("a scan whose manifests cannot be read once more stays as it was, which its verdict says") {
    tables
    val query = "SELECT count(*), sum(t.other) FROM broken t JOIN dim ON id = k WHERE dep = 1"
    withConf("spark.sql.adaptiveFilter.queryTag" -> "broken") {
      assertStays(query, "broken") {
        val files =
          spark.sql(s"SELECT path FROM $catalog.pruning.broken.manifests").collect().map(_.getString(0))
        files.foreach(file => assert(new File(file.stripPrefix("file:")).delete()))
      }
      val told = sorted(spark.sql(
        "SELECT verdict_code, ranges FROM dynamic_filter_stats() WHERE query_tag = 'broken'"
      ))
      assert(told == Seq("[source_refused,0]"))
    }
  }

  /** Asserts that a query of a new table, between whose plan and its run `body` comes, has the rows of before. */
  private def assertStays(query: String, table: String)(body: => Unit): Unit = {
    create(table)
    val expected = stock(sorted(spark.sql(query)))
    val planned = spark.sql(query)
    assert(collectWithSubqueries(planned.queryExecution.executedPlan) { case filter: DynamicFilterExec =>
      filter
    }.size == 1)
    body
    assert(sorted(planned) == expected)
  }

  test("rows are found where another column of the table has the name that the key has in their version") {
    tables
    create("swapped")
    spark.sql("ALTER TABLE swapped CREATE TAG first")
    spark.sql("ALTER TABLE swapped CREATE BRANCH line")
    swapNames("swapped")
    val version = spark.sql(s"SELECT snapshot_id FROM $catalog.pruning.swapped.snapshots").head().getLong(0)
    create("parted", partitions = "PARTITIONED BY (bucket(4, other))")
    spark.sql("ALTER TABLE parted CREATE TAG first")
    swapNames("parted")
    val versions = Seq(s"VERSION AS OF $version", "VERSION AS OF 'first'", "VERSION AS OF 'line'", "")
    for (of <- versions.map("swapped " + _) :+ "parted VERSION AS OF 'first'") {
      val query =
        s"SELECT /*+ DYNAMIC_FILTER(t) */ count(*), sum(t.id) FROM $of t JOIN dim ON t.id = k WHERE dep = 1"
      planAsStock(query)
      assert(spark.sql(query).head().getLong(0) == 10, of)
    }
    spark.sql("CREATE TABLE changes USING iceberg AS SELECT k AS id, -1L AS other FROM dim WHERE dep = 1")
    spark.sql(
      """MERGE INTO pruning.swapped.branch_line t USING changes s ON t.id = s.id
        |WHEN MATCHED THEN UPDATE SET other = s.other WHEN NOT MATCHED THEN INSERT *""".stripMargin
    )
    assert(spark.sql("SELECT count(*) FROM swapped VERSION AS OF 'line'").head().getLong(0) == Rows)
  }

  test("a table that adaptive execution reads once more, to prune partitions, is filtered for none") {
    tables
    spark.sql("CREATE TABLE few USING iceberg AS SELECT id, id % 10 AS p FROM range(42000, 43000)")
    spark.sql(
      "CREATE TABLE parts USING iceberg PARTITIONED BY (p) AS SELECT id % 10 AS p, id FROM range(100000)"
    )
    val query =
      """SELECT /*+ DYNAMIC_FILTER(few) */ count(*) FROM parts JOIN few ON parts.p = few.p
        |JOIN dim ON few.id = k WHERE few.id > 41000 AND dep = 1""".stripMargin
    for ((inBroadcastsOnly, filtered) <- Seq("true" -> true, "false" -> false))
      withConf(
        "spark.sql.optimizer.dynamicPartitionPruning.reuseBroadcastOnly" -> inBroadcastsOnly,
        "spark.sql.autoBroadcastJoinThreshold" -> "-1"
      ) {
        val names = collectWithSubqueries(planAsStock(query)) { case filter: DynamicFilterExec =>
          filter.child.collectFirst { case scan: BatchScanExec => scan.table.name }
        }.flatten
        assert(names.exists(_.endsWith(".few")) == filtered, names)
      }
  }

  test("keys skip nothing in the table of a table's files") {
    tables
    val query =
      "SELECT /*+ DYNAMIC_FILTER(f) */ count(*) FROM ice.pruning.plain.files f JOIN dim ON record_count = k"
    assert(filters(query).isEmpty)
  }

  test("an empty table") {
    tables
    spark.sql("CREATE TABLE empty (id BIGINT) USING iceberg")
    assert(spark.sql("SELECT /*+ DYNAMIC_FILTER(t) */ * FROM empty t JOIN dim ON id = k").isEmpty)
  }

  for ((table, inBatches) <- Seq("plain" -> true, "deleted" -> true, "vectors" -> true, "in_orc" -> false))
    test(s"$table: a filter takes column batches where Iceberg gives them, $inBatches") {
      tables
      val query = s"SELECT count(*), sum(id) FROM $table WHERE id % 7 > 2 AND other % 5 < 3"
      val filters = collectWithSubqueries(planAsStock(query)) { case filter: AdaptiveFilter =>
        filter.isInstanceOf[AdaptiveColumnarFilterExec]
      }
      assert(filters == Seq(inBatches))
    }

  private def filters(query: String): Seq[DynamicFilterExec] =
    collectWithSubqueries(planAsStock(query)) { case filter: DynamicFilterExec => filter }

  /** The filtered scan in `query`, whose rows are those of stock Spark. */
  private def pruned(query: String): BatchScanExec = filters(query).map(_.child).collect {
    case scan: BatchScanExec => scan
  }.head
}

private object IcebergPruningSuite {
  private val Rows = 100000L
  private val Files = 10
}
