package io.adaptivespark.join

import org.scalatest.funsuite.AnyFunSuite

import io.adaptivespark.stats.PruningMemory

/** Keys and columns that a file's reader has other values, types or names of than Spark: no row is lost, and no query fails. */
class KeyValuesSuite extends AnyFunSuite with JoinTables {

  for (format <- Seq("parquet", "orc"); (strategy, conf) <- strategies.take(2))
    test(s"values that a file's reader is told as others, $format, $strategy") {
      directory
      def check(name: String, value: String, others: String*): Unit = {
        def stored(table: String, rows: Long, values: String) = {
          spark.range(0, rows, 1, 1).selectExpr("id", s"$values AS v")
            .write.mode("overwrite").format(format).save(s"$directory/$table")
          spark.read.format(format).load(s"$directory/$table").createOrReplaceTempView(table)
        }
        PruningMemory.clear() // all rows are kept
        stored("odd", 9000, s"coalesce(get(array(${others.mkString(", ")}), cast(id - 3 as int)), $value)")
        stored("odd_keys", 1000, value)
        val plan =
          onAndOff("SELECT count(*) FROM odd JOIN odd_keys k ON odd.v = k.v WHERE k.id = 7", conf: _*)
        assert(filters(plan).nonEmpty, s"$name: $plan")
      }
      check("bytes that are no text", "cast(X'E9' AS string)", "cast(X'E8' AS string)")
      check("characters after surrogates", "'\uFF21'", "'\uD83D\uDE00'", "'a'")
      withConf(
        "spark.sql.session.timeZone" -> "UTC",
        s"spark.sql.$format.datetimeRebaseModeInWrite" -> "CORRECTED"
      ) {
        check("a date that the old calendar lacks", "DATE '1582-10-10'", "DATE '1582-10-11'")
      }
    }

  for ((digits, file, apart) <- Seq((18, 9, 4000), (38, 18, 3800)))
    test(s"decimals of $digits digits over files that have $file") {
      directory
      // What is left of the range's end in as many bits as the file has lies among the file's numbers, or below them.
      val step = BigInt(10).pow(file - 5)
      spark.range(0, 100000, 1, 1).selectExpr(s"cast(id * $step / 100 as decimal($file, 2)) AS amt")
        .write.options(Map("parquet.block.size" -> "65536", "parquet.page.size" -> "4096"))
        .mode("overwrite").parquet(s"$directory/narrow")
      spark.read.schema(
        s"amt decimal($digits, 2)"
      ).parquet(s"$directory/narrow").createOrReplaceTempView("narrow")
      spark.range(0, 500, 1, 1).selectExpr(
        s"cast(cast(id * $apart as decimal(38)) * $step / 100 as decimal($digits, 2)) AS v",
        "id % 2 AS dep"
      )
        .write.mode("overwrite").parquet(s"$directory/wide")
      spark.read.parquet(s"$directory/wide").createOrReplaceTempView("wide")
      for ((_, conf) <- strategies; ranges <- Seq("1", "64")) {
        val conditions = conf :+ ("spark.sql.dynamicFilter.maxRanges" -> ranges)
        PruningMemory.clear() // one range keeps most rows
        val plan =
          onAndOff("SELECT count(*), sum(amt) FROM narrow JOIN wide ON amt = v WHERE dep = 1", conditions: _*)
        assert(filters(plan).nonEmpty, plan)
      }
    }

  for ((strategy, conf) <- strategies) test(s"a partition that is written in another case, $strategy") {
    val plan = onAndOff(
      "SELECT count(*), sum(id) FROM fact_p JOIN dim ON P = k WHERE dep = 0 AND ks < 'key-00050000'",
      conf :+ ("spark.sql.optimizer.dynamicPartitionPruning.enabled" -> "false"): _*
    )
    assert(rowsOf(plan, "fact_p") == 60000, plan)
  }

  for (format <- Seq("parquet", "orc"))
    test(s"the first of all times as a key, $format") {
      directory
      spark.range(100000).selectExpr(
        "id",
        "timestamp_seconds(id) AS v",
        "date_from_unix_date(cast(id as int)) AS d"
      )
        .write.mode("overwrite").format(format).save(s"$directory/timed")
      spark.read.format(format).load(s"$directory/timed").createOrReplaceTempView("timed")
      spark.sql(
        "SELECT id AS n, timestamp_micros(if(id = 3, -9223372036854775808L, id * 1000000)) AS k, date_from_unix_date(if(id = 3, -2147483648, cast(id as int))) AS kd FROM range(10)"
      ).createOrReplaceTempView("first_times")
      for ((_, conf) <- strategies; (probe, key) <- Seq("v" -> "k", "d" -> "kd")) {
        PruningMemory.clear() // all rows are kept
        val plan = onAndOff(
          s"SELECT count(*), sum(id) FROM timed JOIN (SELECT * FROM first_times WHERE n < 5) ON $probe = $key",
          conf: _*
        )
        assert(filters(plan).nonEmpty, plan)
      }
    }
}
