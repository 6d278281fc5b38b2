package io.adaptivespark.function

import java.nio.file.{Files, Paths}
import java.nio.file.attribute.FileTime
import java.sql.DriverManager

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.Row
import org.apache.spark.sql.catalyst.TableIdentifier
import org.apache.spark.sql.catalyst.catalog.{CatalogStorageFormat, CatalogTable, CatalogTableType}
import org.apache.spark.sql.execution.datasources.v2.jdbc.JDBCTableCatalog
import org.apache.spark.sql.types.StructType
import org.scalatest.funsuite.AnyFunSuite

import io.adaptivespark.SparkSuite
import io.adaptivespark.shim.SessionShim

class CatalogFunctionSuite extends AnyFunSuite with SparkSuite {
  private def catalog(arguments: String, columns: String): Seq[Row] =
    spark.sql(
      s"SELECT $columns FROM adaptive_catalog($arguments) ORDER BY table_name, column_index"
    ).collect().toSeq

  override protected def beforeAll(): Unit = {
    super.beforeAll()
    spark.sql("CREATE SCHEMA shop")
    spark.sql(
      "CREATE TABLE shop.orders (id BIGINT COMMENT 'its number', name VARCHAR(9), day DATE) USING parquet COMMENT 'all of them' PARTITIONED BY (day)"
    )
    spark.sql(
      "INSERT INTO shop.orders SELECT id, if(id % 10 = 0, null, concat('n', id % 7)), date'2026-01-01' FROM range(100)"
    )
    spark.sql("CREATE VIEW shop.seven AS SELECT id, name FROM shop.orders WHERE id < 7")
    spark.sql("CREATE SCHEMA empty")
  }

  test("a row a column, tables and views, in one query for a schema") {
    assert(catalog("'shop'", "table_name, table_type, provider, column_index, column_name, column_type") ==
      Seq(
        Row("orders", "table", "parquet", 0, "id", "bigint"),
        Row("orders", "table", "parquet", 1, "name", "varchar(9)"),
        Row("orders", "table", "parquet", 2, "day", "date"),
        Row("seven", "view", null, 0, "id", "bigint"),
        Row("seven", "view", null, 1, "name", "varchar(9)")
      ))
  }

  /** A table of a schema of its own, as another program has noted it in the metastore. */
  private def registered(
      schema: String,
      name: String,
      columns: StructType,
      provider: String,
      properties: (String, String)*
  ): Unit = {
    spark.sql(s"CREATE SCHEMA $schema")
    SessionShim.catalog(spark).createTable(
      CatalogTable(
        TableIdentifier(name, Some(schema)),
        CatalogTableType.EXTERNAL,
        CatalogStorageFormat.empty.copy(locationUri = Some(Files.createTempDirectory(name).toUri)),
        columns,
        Some(provider),
        properties = properties.toMap
      ),
      ignoreIfExists = false
    )
  }

  test("a table whose columns the metastore does not know") {
    registered("other", "bare", new StructType(), "delta")
    assert(catalog("'other'", "table_name, provider, column_index, column_name, has_histogram") ==
      Seq(Row("bare", "delta", null, null, null)))
  }

  test("a table of Hive's that is Iceberg's") {
    registered("ice", "berg", StructType.fromDDL("id BIGINT"), "hive", "table_type" -> "ICEBERG")
    assert(catalog("'ice'", "provider") == Seq(Row("iceberg")))
  }

  test("where another catalog is the current one its names are not the session catalog's") {
    val url = "jdbc:derby:memory:lake;create=true"
    withConf(
      "spark.sql.catalog.lake" -> classOf[JDBCTableCatalog].getName,
      "spark.sql.catalog.lake.url" -> url,
      "spark.sql.catalog.lake.driver" -> DriverManager.getDriver(url).getClass.getName
    ) {
      spark.catalog.setCurrentCatalog("lake")
      try {
        assert(catalog("'shop'", "*").isEmpty && catalog("'shop', 'orders'", "*").isEmpty)
        assert(spark.sql("SELECT * FROM adaptive_last_modified('shop', 'orders')").head() == Row(null, null))
      } finally spark.catalog.setCurrentCatalog("spark_catalog")
    }
    assert(catalog("'shop', 'orders'", "*").nonEmpty)
  }

  test("one table alone, with its comments") {
    assert(catalog("'shop', 'orders'", "column_name, column_comment, table_comment, table_schema").head ==
      Row("id", "its number", "all of them", "shop"))
    assert(catalog("'shop', 'nothing'", "*").isEmpty)
  }

  test("what ANALYZE found, until the table is written to") {
    val columns =
      "CAST(row_count AS INT), column_name, CAST(distinct_count AS INT), CAST(null_count AS INT), min, max, has_histogram"
    assert(catalog("'shop', 'orders'", columns).map(_.get(0)).forall(_ == null))
    withConf("spark.sql.statistics.histogram.enabled" -> "true") {
      spark.sql("ANALYZE TABLE shop.orders COMPUTE STATISTICS FOR COLUMNS id, name")
    }
    assert(catalog("'shop', 'orders'", columns) == Seq(
      Row(100, "id", 100, 0, "0", "99", true),
      Row(100, "name", 7, 10, null, null, false),
      Row(100, "day", null, null, null, null, false)
    ))
    spark.sql("INSERT INTO shop.orders VALUES (1, 'x', date'2026-01-02')")
    assert(catalog("'shop', 'orders'", columns).map(_.get(2)).forall(_ == null))
  }

  test("when a table's data last changed: by the newest of its files, marks aside") {
    def modified(table: String) =
      Option(
        spark.sql(s"SELECT * FROM adaptive_last_modified('shop', '$table')").head().get(0)
      ).map(_.asInstanceOf[Long])
    spark.sql("CREATE TABLE shop.times (id BIGINT, day INT) USING parquet PARTITIONED BY (day)")
    assert(modified("times").isEmpty)
    assert(Seq("times", "gone").map(table =>
      spark.sql(s"SELECT table_exists FROM adaptive_last_modified('shop', '$table')").head().get(0)
    ) == Seq(true, false))
    val before = System.currentTimeMillis - 2000
    spark.sql("INSERT INTO shop.times VALUES (1, 1), (2, 2)")
    assert(modified("times").exists(_ >= before))
    val folder = Paths.get(new java.net.URI(
      spark.sql("DESCRIBE EXTENDED shop.times").where("col_name = 'Location'").head().getString(1)
    ))
    val files = Files.walk(folder).iterator.asScala.filter(Files.isRegularFile(_)).toSeq
    files.foreach(Files.setLastModifiedTime(_, FileTime.fromMillis(5000)))
    Files.setLastModifiedTime(files.filter(_.toString.endsWith(".parquet")).head, FileTime.fromMillis(9000))
    Files.write(folder.resolve("_SUCCESS"), Array.emptyByteArray)
    val unfinished = Files.createDirectories(folder.resolve("_temporary/0"))
    Files.write(unfinished.resolve("part-0.parquet"), Array.emptyByteArray)
    assert(modified("times").contains(9000L))
    assert(modified("seven").isEmpty && modified("nothing").isEmpty)
    spark.sql("DROP TABLE shop.times")
  }

  test("statistics over a write that changes nothing") {
    spark.sql("CREATE TABLE shop.kept USING parquet AS SELECT id FROM range(10)")
    def ask(function: String) = spark.sql(s"SELECT done FROM $function('shop', 'kept')").head().getBoolean(0)
    def known = catalog("'shop', 'kept'", "CAST(row_count AS INT), CAST(distinct_count AS INT)")
    assert(!ask("adaptive_keep_statistics") && !ask("adaptive_restore_statistics"))
    spark.sql("ANALYZE TABLE shop.kept COMPUTE STATISTICS FOR COLUMNS id")
    assert(ask("adaptive_keep_statistics"))
    spark.sql("INSERT INTO shop.kept SELECT id FROM range(0)")
    assert(known == Seq(Row(null, null)))
    assert(ask("adaptive_restore_statistics") && known == Seq(Row(10, 10)))
    assert(!ask("adaptive_restore_statistics") && ask("adaptive_keep_statistics"))
    spark.sql("INSERT OVERWRITE shop.kept SELECT id FROM range(0)")
    assert(!ask("adaptive_restore_statistics") && known == Seq(Row(null, null)))
    spark.sql("ANALYZE TABLE shop.kept COMPUTE STATISTICS FOR COLUMNS id")
    assert(ask("adaptive_keep_statistics"))
    spark.sql("DROP TABLE shop.kept")
    Thread.sleep(1100) // Hive counts in seconds
    spark.sql("CREATE TABLE shop.kept USING parquet AS SELECT id FROM range(0)")
    assert(!ask("adaptive_restore_statistics") && known == Seq(Row(null, null)))
    spark.sql("DROP TABLE shop.kept")
    assert(!ask("adaptive_keep_statistics"))
  }

  test("a change behind Spark's back is noticed by the size of the files") {
    spark.sql("CREATE TABLE shop.files USING parquet AS SELECT id FROM range(10)")
    spark.sql("ANALYZE TABLE shop.files COMPUTE STATISTICS FOR COLUMNS id")
    def rows = catalog("'shop', 'files'", "CAST(row_count AS INT), CAST(distinct_count AS INT)")
    spark.sql("ANALYZE TABLE shop.files COMPUTE STATISTICS NOSCAN")
    assert(rows == Seq(Row(10, 10)))
    val location = spark.sql("DESCRIBE EXTENDED shop.files")
      .where("col_name = 'Location'").head().getString(1)
    spark.range(1000).write.mode("append").parquet(location)
    spark.sql("ANALYZE TABLE shop.files COMPUTE STATISTICS NOSCAN")
    assert(rows == Seq(Row(null, null)))
    spark.sql("DROP TABLE shop.files")
  }

  test("a schema without tables, one that is not there, and arguments that are none") {
    assert(catalog("'empty'", "*").isEmpty && catalog("'nowhere'", "*").isEmpty)
    assert(catalog("'nowhere', 'orders'", "*").isEmpty && catalog("'', 'orders'", "*").isEmpty)
    for (
      (arguments, reason) <- Seq(
        ("'a', 'b', 'c'", "a schema, or a schema and a table"),
        ("CAST(null AS STRING)", "a name is null"),
        ("3", "3 is not a constant text"),
        ("uuid()", "is not a constant text")
      )
    ) assert(intercept[Exception](catalog(arguments, "*")).getMessage.contains(reason), arguments)
  }
}
