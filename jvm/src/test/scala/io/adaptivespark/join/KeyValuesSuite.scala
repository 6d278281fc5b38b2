package io.adaptivespark.join

import java.time.Instant
import java.util.TimeZone

import scala.collection.mutable
import scala.util.Try

import org.apache.hadoop.fs.Path
import org.apache.parquet.example.data.simple.SimpleGroupFactory
import org.apache.parquet.hadoop.example.ExampleParquetWriter
import org.apache.parquet.schema.MessageTypeParser
import org.scalatest.Assertion
import org.scalatest.funsuite.AnyFunSuite

import io.adaptivespark.{DamagedTexts, Forms}

/** Keys that files hold as other values or in other types than Spark: no row is lost, and no query fails. */
class KeyValuesSuite extends AnyFunSuite with KeyFiles {

  for (format <- Seq("parquet", "orc"); (strategy, conf) <- strategies.take(2))
    test(
      s"values that a file's reader is told as others, $format, $strategy",
      Forms.unless((format == "parquet") == (strategy == "broadcast")): _*
    ) {
      directory
      def check(name: String, value: String, others: String*): Unit = {
        def rows(count: Long, values: String) = spark.range(0, count, 1, 1).selectExpr("id", s"$values AS v")
        memory.forget() // all rows are kept
        val odd = s"coalesce(get(array(${others.mkString(", ")}), cast(id - 3 as int)), $value)"
        stored("odd", format, rows(9000, odd))
        stored("odd_keys", format, rows(1000, value))
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

  test("that a file's reader can't be told the keys is a verdict, unless rows are tested by them") {
    directory
    for ((name, count) <- Seq("torn" -> 9000L, "torn_keys" -> 1000L))
      stored(name, "parquet", spark.range(0, count, 1, 1).selectExpr("id", "cast(X'E9' AS string) AS v"))
    val verdicts = Seq("1g", "-1").map { threshold =>
      memory.forget() // all rows are kept
      val tag = "spark.sql.adaptiveFilter.queryTag" -> s"torn.$threshold"
      withConf(tag, "spark.sql.autoBroadcastJoinThreshold" -> threshold)(
        onAndOff("SELECT count(*) FROM torn JOIN torn_keys k ON torn.v = k.v WHERE k.id = 7")
      )
      spark.sql(s"SELECT verdict_code, row_test FROM dynamic_filter_stats() WHERE query_tag = '${tag._2}'")
        .collect().toSeq.map(_.toSeq)
    }
    assert(verdicts == Seq(Seq(Seq("values_differ", null)), Seq(Seq("filtered", "set"))))
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
      assumeRead("narrow")
      spark.range(0, 500, 1, 1).selectExpr(
        s"cast(cast(id * $apart as decimal(38)) * $step / 100 as decimal($digits, 2)) AS v",
        "id % 2 AS dep"
      )
        .write.mode("overwrite").parquet(s"$directory/wide")
      spark.read.parquet(s"$directory/wide").createOrReplaceTempView("wide")
      for ((_, conf) <- forms; ranges <- Seq("1", "64")) {
        val conditions = conf :+ ("spark.sql.dynamicFilter.maxRanges" -> ranges)
        memory.forget() // one range keeps most rows
        val plan =
          onAndOff("SELECT count(*), sum(amt) FROM narrow JOIN wide ON amt = v WHERE dep = 1", conditions: _*)
        assert(filters(plan).nonEmpty, plan)
      }
    }

  /** Cancels a test whose table Spark's own reader refuses, as that of 3.5 does narrower numbers. */
  private def assumeRead(table: String): Assertion =
    assume(Try(spark.table(table).collect()).isSuccess, "This Spark's reader takes no narrower numbers.")

  /** Tables and files that differ, and a join with keys that the files can't hold, too. */
  private def joined(table: String, keys: String): Unit = {
    stored("odd_keys", "parquet", spark.sql(s"SELECT v, 7 AS dep FROM $keys"))
    for ((strategy, conf) <- forms) {
      val hint = if (strategy == "broadcast") ", BROADCAST(k)" else ""
      val plan = withConf(conf: _*)(onAndOffHinted(
        s"SELECT /*+ DYNAMIC_FILTER(t)$hint */ count(*), min(t.v) FROM $table t JOIN odd_keys k ON t.v = k.v WHERE dep = 7"
      ))
      assert(filters(plan).nonEmpty, plan)
    }
  }

  test("decimals over files that have fewer bytes for them") {
    val path =
      stored("bytes", "parquet", spark.range(0, 20000, 1, 1).selectExpr("cast(id as decimal(20, 2)) AS v"))
    spark.read.schema("v decimal(38, 2)").parquet(path).createOrReplaceTempView("bytes")
    joined("bytes", "VALUES cast(77 as decimal(38, 2)), cast('1e30' as decimal(38, 2)) AS k(v)")
  }

  test("ORC files that have a column in another type") {
    val path = stored("flags", "orc", spark.range(0, 20000, 1, 1).selectExpr("id % 2 = 0 AS v"))
    spark.read.schema("v int").orc(path).createOrReplaceTempView("flags")
    joined("flags", "VALUES 1, 5 AS k(v)")
  }

  // The last hour of summer time; and the hours before a place went from one side of the date line to the other.
  for (
    (zone, from) <- Seq(
      "America/Los_Angeles" -> 1730620800L,
      "Europe/Berlin" -> 1729987200L,
      "Pacific/Apia" -> 1325235600L,
      "Pacific/Apia" -> 1325196000L
    )
  )
    test(s"times of ORC while clocks are changed, $zone, $from") {
      val before = TimeZone.getDefault
      TimeZone.setDefault(TimeZone.getTimeZone(zone))
      try {
        val times = spark.range(0, 20000, 1, 1).selectExpr(s"timestamp_seconds($from + id) AS v")
        stored("clock", "orc", times, "orc.row.index.stride" -> "1000")
        for (id <- Seq(0, 1500, 3599, 7200)) joined("clock", s"VALUES timestamp_seconds($from + $id) AS k(v)")
      } finally TimeZone.setDefault(before)
    }

  test("two days of the old calendar that are one date of Spark's") {
    val path = s"$directory/julian"
    val schema = MessageTypeParser.parseMessageType("message m { optional int32 v (DATE); }")
    val writer = ExampleParquetWriter.builder(new Path(path, "part.parquet")).withType(schema).build()
    // February 29, 1500, which is before March 1 there and on it here
    val day = new SimpleGroupFactory(schema).newGroup().append("v", -171596)
    try Seq.fill(20)(day).foreach(writer.write)
    finally writer.close()
    withConf("spark.sql.parquet.datetimeRebaseModeInRead" -> "LEGACY") {
      spark.read.parquet(path).createOrReplaceTempView("julian")
      joined("julian", "VALUES DATE '1500-03-01' AS k(v)")
      val found = spark.sql("SELECT count(*) FROM julian JOIN odd_keys k ON julian.v = k.v WHERE dep = 7")
      assert(found.head().getLong(0) == 20)
    }
  }

  test("a key beyond the INTs of the files of a BIGINT column") {
    val path = stored(
      "ints",
      "parquet",
      spark.range(0, 200000, 1, 1).selectExpr("cast(id as int) AS v"),
      "parquet.block.size" -> "65536",
      "parquet.page.size" -> "4096"
    )
    for (beyond <- Seq(3000000000L, -3000000000L, Long.MaxValue)) {
      val longs = stored("longs", "parquet", spark.sql(s"SELECT ${beyond}L - id AS v FROM range(5)"))
      spark.read.schema("v bigint").parquet(path, longs).createOrReplaceTempView("ints")
      assumeRead("ints")
      stored(
        "odd_keys",
        "parquet",
        spark.sql(s"SELECT v, 7 AS dep FROM VALUES 200L, 90000L, ${beyond}L AS k(v)")
      )
      val plan =
        onAndOff("SELECT count(*), min(t.v), max(t.v) FROM ints t JOIN odd_keys k ON t.v = k.v WHERE dep = 7")
      assert(plan.executeCollect().head.getLong(0) == 3 && rowsOf(plan, "ints") < 100000, plan)
    }
  }

  test("times without a zone are not looked for in what Parquet says of its row groups, as Spark doesn't") {
    stored("local_times", "parquet", spark.table("fact").selectExpr("id", "cast(ts as timestamp_ntz) AS v"))
    val plan =
      onAndOff("SELECT count(*) FROM local_times JOIN dim ON v = cast(kts as timestamp_ntz) WHERE dep = 7")
    assert(filters(plan).isEmpty, plan)
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
      for ((_, conf) <- forms; (probe, key) <- Seq("v" -> "k", "d" -> "kd")) {
        memory.forget() // all rows are kept
        val plan = onAndOff(
          s"SELECT count(*), sum(id) FROM timed JOIN (SELECT * FROM first_times WHERE n < 5) ON $probe = $key",
          conf: _*
        )
        assert(filters(plan).nonEmpty, plan)
      }
    }

  private val smallParts = Seq("parquet.block.size" -> "65536", "parquet.page.size" -> "4096")

  private val ordinary = mutable.HashMap.empty[String, String]

  /** The path of a table `ordinary_smallint`, as Spark writes it: 200,000 rows of which `v` ascends to 99.
    *
    * It is stored once.
    */
  private def ordinaryOf(narrow: String): String = ordinary.getOrElseUpdate(
    narrow,
    stored(
      s"ordinary_$narrow",
      "parquet",
      spark.range(0, 200000, 1, 1).selectExpr("id", s"cast(id div 2000 as $narrow) AS v"),
      smallParts: _*
    )
  )

  for ((narrow, bits) <- Seq("smallint" -> 16, "tinyint" -> 8))
    test(s"$narrow over files of INT, of which Spark reads the lowest $bits bits") {
      directory
      val wide = stored(
        "wide",
        "parquet",
        spark.range(0, 200000, 1, 1).selectExpr("id", "cast(id as int) AS v"),
        smallParts: _*
      )
      stored(
        "odd_keys",
        "parquet",
        spark.sql(s"SELECT cast(v as $narrow) AS v, 7 AS dep FROM VALUES 5, 15, -3 AS k(v)")
      )
      for {
        (paths, most) <- Seq(Seq(wide) -> 200000, Seq(wide, ordinaryOf(narrow)) -> 300000)
        (_, conf) <- forms
        key <- Seq("k.v", "cast(k.v as bigint)", "cast(k.v as decimal(20, 2))")
      } {
        memory.forget() // most rows are kept
        spark.read.schema(s"id bigint, v $narrow").parquet(paths: _*).createOrReplaceTempView("cut")
        val plan =
          onAndOff(
            s"SELECT count(*), max(id) FROM cut JOIN odd_keys k ON cut.v = $key WHERE dep = 7",
            conf: _*
          )
        assert(filters(plan).nonEmpty && rowsOf(plan, "wide") <= most, plan)
      }
      // of DataSource V2
      withConf("spark.sql.sources.useV1SourceList" -> "") {
        spark.read.schema(s"id bigint, v $narrow").parquet(wide).createOrReplaceTempView("cut")
        val plan = onAndOff("SELECT count(*), max(id) FROM cut JOIN odd_keys k ON cut.v = k.v WHERE dep = 7")
        assert(filters(plan).isEmpty, plan)
      }
    }

  for ((strategy, conf) <- strategies; narrow <- Seq("smallint", "tinyint"))
    test(s"keys skip row groups of files that have $narrow, too, $strategy") {
      directory
      ordinaryOf(narrow)
      stored(
        "odd_keys",
        "parquet",
        spark.sql(s"SELECT cast(v as $narrow) AS v, 7 AS dep FROM VALUES 5, 15, 25, 30 AS k(v)")
      )
      val plan = onAndOff(
        s"SELECT count(*), max(id) FROM ordinary_$narrow t JOIN odd_keys k ON t.v = k.v WHERE dep = 7",
        conf: _*
      )
      assert(filters(plan).nonEmpty && rowsOf(plan, s"ordinary_$narrow") < 50000, plan)
    }

  for (format <- Seq("parquet", "orc"))
    test(s"texts of $format files that have others that are no UTF-8") {
      val path = s"$directory/damaged_$format"
      DamagedTexts.Queries.foreach(spark.sql(_).write.mode("append").format(format).save(path))
      spark.read.format(format).load(path).createOrReplaceTempView("damaged")
      DamagedTexts.Texts.foreach(text => joined("damaged", s"VALUES ('$text') k(v)"))
    }

  test("two times of the old calendar that are one of Spark's, since clocks were set back in 1900") {
    val before = TimeZone.getDefault
    TimeZone.setDefault(TimeZone.getTimeZone("Africa/Abidjan"))
    try {
      val path = s"$directory/mean_time"
      val schema =
        MessageTypeParser.parseMessageType("message m { optional int64 v (TIMESTAMP(MICROS,true)); }")
      val writer =
        OneRowGroups(ExampleParquetWriter.builder(new Path(path, "part.parquet")).withType(schema)).build()
      val times =
        Seq("1899-12-31T23:48:52Z", "1900-01-01T00:05:00Z").map(Instant.parse(_).getEpochSecond * 1000000)
      try times.foreach(time => writer.write(new SimpleGroupFactory(schema).newGroup().append("v", time)))
      finally writer.close()
      withConf(
        "spark.sql.parquet.datetimeRebaseModeInRead" -> "LEGACY",
        "spark.sql.session.timeZone" -> "UTC"
      ) {
        spark.read.parquet(path).createOrReplaceTempView("mean_time")
        joined("mean_time", "VALUES TIMESTAMP '1900-01-01 00:05:00' AS k(v)")
        val found =
          spark.sql("SELECT count(*) FROM mean_time JOIN odd_keys k ON mean_time.v = k.v WHERE dep = 7")
        assert(found.head().getLong(0) == 2)
      }
    } finally TimeZone.setDefault(before)
  }
}
