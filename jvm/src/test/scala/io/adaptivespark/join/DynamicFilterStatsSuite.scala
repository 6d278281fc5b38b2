package io.adaptivespark.join

import scala.concurrent.duration._

import org.scalatest.concurrent.Eventually.{eventually, timeout}
import org.scalatest.funsuite.AnyFunSuite

import io.adaptivespark.Forms
import io.adaptivespark.join.keys.testing.SentFilter

class DynamicFilterStatsSuite extends AnyFunSuite with TaggedQueries {

  test("what a session hides of predicates is hidden in dynamic_filter_stats()") {
    withConf("spark.sql.redaction.string.regex" -> "12345", "spark.sql.adaptiveFilter.queryTag" -> "hidden")(
      onAndOff("SELECT count(*) FROM fact JOIN dim ON id = k + 12345 - 12345 WHERE dep = 7")
    )
    val rows = spark.sql("SELECT * FROM dynamic_filter_stats() WHERE query_tag = 'hidden'").collect().toSeq
    assert(rows.nonEmpty && !rows.exists(_.toString.contains("12345")), rows)
  }

  for (aqe <- Seq("true", "false"))
    test(s"EXPLAIN FORMATTED names each filter by its number, AQE $aqe", Forms.unless(aqe == "true"): _*) {
      withConf("spark.sql.adaptive.enabled" -> aqe) {
        val plan = onAndOff("SELECT count(*) FROM fact JOIN dim ON id = k WHERE dep = 7")
        val text = spark.sql("EXPLAIN FORMATTED SELECT count(*) FROM fact JOIN dim ON id = k WHERE dep = 7")
          .head().getString(0)
        assert(
          filters(plan).nonEmpty && text.contains("+- DynamicFilter (") && !text.contains("unknown"),
          text
        )
      }
    }

  test("each filter and each refusal is a row of dynamic_filter_stats()") {
    withConf(
      "spark.sql.adaptiveFilter.queryTag" -> "model.x"
    )(onAndOff("SELECT count(*) FROM fact JOIN dim ON id = k WHERE dep = 7"))
    withConf(
      "spark.sql.adaptiveFilter.queryTag" -> "model.y"
    )(onAndOff("SELECT count(*) FROM fact JOIN dim ON id = k"))
    def rows(tag: String) =
      spark.sql(s"SELECT * FROM dynamic_filter_stats() WHERE query_tag = '$tag'").collect().toSeq
    val Seq(filtered) = rows("model.x")
    assert(filtered.getAs[String]("verdict") == "filtered" && filtered.getAs[Long]("build_keys") == 10)
    assert(filtered.getAs[String]("kind") == "values" && filtered.getAs[Int]("ranges") == 10)
    assert(filtered.getAs[Long]("rows_read") < 200000 && filtered.getAs[Long]("bytes_total") > 0, filtered)
    assert(filtered.getAs[Long]("files") == 2 && filtered.getAs[Long]("files_read") == 2, filtered)
    assert(
      verdicts(rows("model.y")).forall(_ == "build_not_reduced")
    )
    assert(rows("model.y").nonEmpty)
  }

  test("files are counted that are left out with their partition, or by no key at all") {
    def read(tag: String, table: String, condition: String) = {
      val query = s"SELECT count(*), sum(id) FROM $table JOIN dim ON $condition"
      val Seq(row) = tagged(tag, query, noBroadcast, "spark.sql.adaptive.enabled" -> "false")
      (row.getAs[Long]("files"), row.getAs[Long]("files_read"))
    }
    val (all, some) = read("files.some", "fact_p", "p = k WHERE ki < 50000")
    assert(all == 10 && some == 3)
    assert(read("files.none", "fact", "id = k WHERE dep > 1000") == ((2L, 0L)))
  }

  for (aqe <- Seq("true", "false"))
    test(s"row groups are counted where that is asked for, AQE $aqe", Forms.unless(aqe == "true"): _*) {
      val query = "SELECT count(*), sum(id) FROM fact JOIN dim ON id = k WHERE dep = 7"
      Seq("true", "false").foreach { verbose =>
        withConf(
          "spark.sql.dynamicFilter.verbose" -> verbose,
          "spark.sql.adaptiveFilter.queryTag" -> s"groups.$aqe.$verbose"
        )(
          onAndOff(query, "spark.sql.adaptive.enabled" -> aqe)
        )
      }
      def groups(verbose: Boolean) = spark.sql(
        s"SELECT row_groups, row_groups_read, bytes_read, bytes_total FROM dynamic_filter_stats() WHERE query_tag = 'groups.$aqe.$verbose'"
      ).collect().toSeq
      val Seq(counted) = groups(verbose = true)
      assert(groups(verbose = false).map(row => row.isNullAt(0) && row.isNullAt(2)) == Seq(true))
      assert(counted.getLong(0) > 20 && counted.getLong(1) == 10, counted)
      val (read, files) = (counted.getLong(2), counted.getLong(3))
      // Of one column of several, in 10 row groups.
      assert(read > 10 * 100 && read < files * 10 / counted.getLong(0), counted)
    }

  for (table <- Seq("fact", "fact_orc", "fact_in_memory", "fact_p"))
    test(s"tells how many rows $table has, and which share of them was kept") {
      val Seq(row) = tagged(
        s"rows.$table",
        s"SELECT count(*), sum(id) FROM $table JOIN dim ON id = k WHERE dep + 1 = 8",
        noBroadcast
      )
      assert(math.abs(row.getAs[Long]("rows_total") - 200000) < 30000, row)
      assert(math.abs(row.getAs[Double]("kept") - 10 / 200000.0) < 1e-5, row)
    }

  for (
    (rowTest, join) <- Seq(
      "set" -> "dim ON ts = kts WHERE dep = 7",
      "bitmap" -> "dim ON id = k WHERE dep = 7",
      "set" -> "dim ON s = ks WHERE dep > 0",
      "bitmap" -> "dim ON id = k WHERE dep > 0",
      "bloom" -> "(SELECT id AS k FROM fact_orc WHERE g + id > 50000) ON id = k"
    )
  ) test(s"tells what rows are tested by: a $rowTest, $join") {
    val tests = Seq(noBroadcast, "spark.sql.autoBroadcastJoinThreshold" -> "1g").map { strategy =>
      tagged(
        s"test.$join${strategy._2}",
        s"SELECT count(*), sum(id) FROM fact JOIN $join",
        strategy
      ).map(_.getAs[String]("row_test"))
    }
    // Below a broadcast join there is nothing that a test would save.
    assert(tests == Seq(Seq(rowTest), Seq(null)))
  }

  for (aqe <- Seq("true", "false"))
    test(
      s"rows are tested by a bloom filter before a shuffle only, where a broadcast has more keys than a set holds, AQE $aqe",
      Forms.unless(aqe == "true"): _*
    ) {
      val large = "(SELECT id AS k2 FROM fact_orc WHERE g + id > 50000) ON id = k2"
      val tests = Seq("MERGE(dim)", "BROADCAST(dim)").map { hint =>
        val Seq(row) = tagged(
          s"large.$hint.$aqe",
          s"SELECT /*+ $hint */ count(*), sum(id) FROM fact JOIN dim ON s = ks JOIN $large",
          "spark.sql.autoBroadcastJoinThreshold" -> "1g",
          "spark.sql.adaptive.enabled" -> aqe
        ).filter(_.getAs[String]("verdict") == "filtered")
        assert(row.getAs[Long]("build_rows") > 131072 && row.getAs[String]("kind") == "ranges", row)
        row.getAs[String]("row_test")
      }
      assert(tests == Seq("bloom", null))
    }

  test("where only reading is saved, what a scan reads of its columns must be worth it") {
    directory
    def verdict(table: String, key: String, of: String, size: Int => Long, conf: (String, String)*) = {
      val files = new java.io.File(s"$directory/$table").listFiles.filter(_.getName.endsWith(".parquet"))
      val tag = s"columns.$table.$key.$of.${size(1 << 20)}.$conf"
      withConf(conf ++ Seq(
        "spark.sql.dynamicFilter.minProbeSize" -> size(files.map(_.length).sum.toInt).toString,
        "spark.sql.adaptiveFilter.queryTag" -> tag
      ): _*)(spark.sql(s"SELECT $of FROM $table JOIN dim ON $key WHERE dep = 7").collect())
      verdicts(stats(tag))
    }
    val columns = Seq("columns_too_small")
    val filtered = Seq("filtered")
    assert(verdict("fact", "id = k", "count(*)", _ / 2) == columns)
    assert(verdict("fact", "id = k", "count(*)", _ / 2, noBroadcast) == filtered)
    assert(verdict("fact", "id = k", "count(*)", _ / 9) == filtered)
    assert(verdict("fact", "id = k", "max(struct(fact.*))", _ / 2) == filtered)
    // Types can't tell that columns are less than an eighth of a file.
    assert(verdict("fact", "i = ki", "count(*)", _ / 9) == filtered)
    assert(verdict("fact", "i = ki", "count(*)", _ / 7) == columns)
    // Partitions are skipped whole.
    val withoutPruning = "spark.sql.optimizer.dynamicPartitionPruning.enabled" -> "false"
    assert(verdict("fact_p", "p = k", "count(*)", _ => 1 << 20, withoutPruning) == filtered)
  }

  test("what is remembered of a filter does not keep its keys") {
    val queries = 20
    def ask(tag: String) =
      tagged(tag, "SELECT count(*), sum(id) FROM unordered JOIN dim ON id = k WHERE dep = 7", noBroadcast)
    (1 to queries).foreach(i => ask(s"forgotten.$i"))
    // what is gone is noticed when something is added
    eventually(timeout(1.minute)) {
      System.gc()
      ask("forgotten")
      assert(SentFilter.count < queries / 2)
    }
  }
}
