package io.adaptivespark.history

import java.nio.file.Files

import org.apache.spark.sql.{DataFrame, Encoders}
import org.apache.spark.sql.streaming.{StreamingQuery, Trigger}
import org.scalatest.funsuite.AnyFunSuite

import io.adaptivespark.{SparkSuite, StreamShim}
import io.adaptivespark.filter.exec.{AdaptiveColumnarFilterExec, AdaptiveFilter}

class StreamingSuite extends AnyFunSuite with SparkSuite {
  private def rows(from: Long, until: Long): DataFrame =
    spark.range(from, until, 1, 1).selectExpr("abs(hash(id)) % 1000 AS h", "concat('name-', id) AS s")

  private def filtered(source: DataFrame): DataFrame =
    source.filter("s LIKE '%a%e%' AND s LIKE '%m%9%' AND h < 20")

  /** Samples many rows, so that what one micro-batch learns is certain. */
  private def start(
      filtered: DataFrame,
      trigger: Trigger = Trigger.ProcessingTime(0),
      collectRate: Int = 10
  ): StreamingQuery = withConf("spark.sql.adaptiveFilter.collectRate" -> collectRate.toString) {
    filtered.writeStream.format("noop").trigger(trigger).option(
      "checkpointLocation",
      Files.createTempDirectory("checkpoint").toString
    ).start()
  }

  /** The filter of the latest micro-batch. */
  private def filterOf(query: StreamingQuery): AdaptiveFilter =
    collect(StreamShim.lastPlan(query)) { case filter: AdaptiveFilter => filter }.head

  test("a micro-batch starts in the order that the ones before it learned, over files") {
    memory.forget()
    val directory = Files.createTempDirectory("stream").resolve("t").toString
    rows(0, 100000).write.parquet(directory)
    val query = start(filtered(spark.readStream.schema("h INT, s STRING").parquet(directory)))
    try {
      query.processAllAvailable()
      assert(filterOf(query).isInstanceOf[AdaptiveColumnarFilterExec])
      assert(filterOf(query).initialOrder == Seq(0, 1, 2))
      rows(100000, 200000).write.mode("append").parquet(directory)
      query.processAllAvailable()
      assert(filterOf(query).initialOrder.head == 2)
    } finally query.stop()
  }

  test("micro-batches that are too small to learn from learn together, over rows") {
    memory.forget()
    val source = StreamShim.inMemory(spark, Encoders.STRING)
    val names = source.toDF().filter("value LIKE '%a%e%' AND value LIKE '%m%-%' AND value LIKE '%x%y%'")
    val query = start(names, collectRate = 1)
    try {
      // The last but one says the opposite of those before it.
      (Seq.fill(12)(Seq.fill(10)("name-1")) ++ Seq(Seq("xy"), Seq("name-1"))).foreach { batch =>
        source.addData(batch)
        query.processAllAvailable()
      }
      assert(filterOf(query).initialOrder.head == 2)
    } finally query.stop()
  }

  test("a stream's micro-batches are filters of adaptive_filter_stats()") {
    memory.forget()
    val directory = Files.createTempDirectory("stream").resolve("t").toString
    (0 until 3).foreach(i => rows(i * 100000L, (i + 1) * 100000L).write.mode("append").parquet(directory))
    withConf("spark.sql.adaptiveFilter.queryTag" -> "stream") {
      start(
        filtered(spark.readStream.schema("h INT, s STRING").option(
          "maxFilesPerTrigger",
          1
        ).parquet(directory)),
        Trigger.AvailableNow()
      ).awaitTermination()
    }
    val stats = spark.sql(
      """SELECT filter_id, max(reorderings), max(rows_in), min_by(written_position, final_position) FROM adaptive_filter_stats()
        |WHERE query_tag = 'stream' GROUP BY filter_id ORDER BY filter_id""".stripMargin
    ).collect()
    assert(stats.map(_.getLong(2)).toSeq == Seq(100000, 100000, 100000))
    assert(stats.map(_.getInt(3)).toSeq == Seq(2, 2, 2) && stats.head.getLong(1) > 0)
  }
}
