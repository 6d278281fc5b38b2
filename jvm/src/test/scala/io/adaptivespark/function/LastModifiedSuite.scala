package io.adaptivespark.function

import java.net.URI
import java.nio.file.{Files, Path}

import org.scalatest.funsuite.AnyFunSuite

import io.adaptivespark.{Cancellable, HeldFileSystem, SparkSuite}

/** When files are listed for `adaptive_last_modified`, and how that ends. */
class LastModifiedSuite extends AnyFunSuite with SparkSuite with Cancellable {
  override protected def staticConf: Map[String, String] =
    Map("spark.hadoop.fs.held.impl" -> classOf[HeldFileSystem].getName)

  override protected def beforeAll(): Unit = {
    super.beforeAll()
    for (table <- Seq("orders", "lines")) {
      val folder: Path = Files.createTempDirectory(table)
      Files.write(folder.resolve("part-0.parquet"), Array.emptyByteArray)
      spark.sql(s"CREATE TABLE $table (id BIGINT) USING parquet LOCATION 'held:$folder'")
    }
  }

  private def call(table: String) = s"adaptive_last_modified('default', '$table')"
  private def listings[T](body: => T): Int = {
    val before = HeldFileSystem.listings.get
    body
    HeldFileSystem.listings.get - before
  }

  test("looking at a query lists nothing, running it lists each folder once") {
    val text = s"SELECT last_modified_ms FROM ${call("orders")}"
    for (
      look <- Seq(
        s"EXPLAIN $text",
        s"EXPLAIN EXTENDED $text WHERE table_exists",
        s"EXPLAIN FORMATTED $text",
        s"DESCRIBE QUERY $text",
        s"CREATE OR REPLACE TEMP VIEW changed AS $text"
      )
    ) assert(listings(spark.sql(look).collect()) == 0, look)
    assert(listings(assert(!spark.sql("SELECT * FROM changed").head().isNullAt(0))) == 1)
    val query = spark.sql(text)
    assert(listings { query.collect(); query.filter("last_modified_ms > 0").count() } == 0, "its one run")
  }

  test("a query may ask for several tables, whether they exist or not, in the order of their places") {
    val tables = Seq("orders", "gone", "lines", "orders").zipWithIndex
    val text = tables.map { case (table, place) =>
      s"SELECT $place AS place, last_modified_ms, table_exists FROM ${call(table)}"
    }.mkString(" UNION ALL ")
    val rows = spark.sql(text).collect().toSeq
    assert(rows.map(_.getInt(0)) == Seq(0, 1, 2, 3))
    assert(rows.map(_.getBoolean(2)) == Seq(true, false, true, true))
    assert(rows.map(_.isNullAt(1)) == Seq(false, true, false, false))
  }

  test("a partition is listed with its table's folder only in the same store") {
    val root = new URI("s3a://lake/shop/orders")
    val listed = Seq("s3a://lake/shop/orders/d=1" -> true, "s3a://archive/shop/orders/d=1" -> false) ++
      Seq("hdfs://lake/shop/orders/d=1" -> false, "s3a://lake/shop/orders_old/d=1" -> false)
    for ((folder, expected) <- listed)
      assert(LastModifiedCommand.isBelow(root, new URI(folder)) == expected, folder)
  }

  test("a query that lists files ends when it is cancelled, and another one goes on") {
    HeldFileSystem.gate.hold()
    try {
      val query = running("listing")(spark.sql(s"SELECT * FROM ${call("orders")}").collect())
      val other = running("other")(spark.sql(s"SELECT * FROM ${call("lines")}").collect())
      assert(happens(HeldFileSystem.gate.came) && happens(HeldFileSystem.gate.came))
      cancelJobs("listing")
      assert(isCancelled(query.get) && !other.hasEnded)
      HeldFileSystem.gate.open()
      assert(other.get.isSuccess)
    } finally HeldFileSystem.gate.open()
  }
}
