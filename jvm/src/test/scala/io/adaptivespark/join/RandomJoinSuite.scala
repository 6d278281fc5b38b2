package io.adaptivespark.join

import java.nio.file.Files

import scala.util.Random

import org.apache.spark.sql.execution.SparkPlan
import org.scalatest.funsuite.AnyFunSuite

import io.adaptivespark.{Forms, SparkSuite}
import io.adaptivespark.join.exec.DynamicFilterExec

/** Random stars and chains give the same rows with dynamic filters as without.
  *
  * `JOINS` says how many, `JOINS_SEED` the first seed.
  */
class RandomJoinSuite extends AnyFunSuite with SparkSuite {
  private val joins = sys.env.get("JOINS").fold(if (Forms.all) 40 else 8)(_.toInt)
  private val firstSeed = sys.env.get("JOINS_SEED").fold(0)(_.toInt)

  // Names of a column by its type, the same in all tables; each has nulls and duplicates.
  private val columns = Seq("b", "s", "i", "l", "d", "e", "t", "n", "w", "x", "f", "z")

  private def table(rows: Int, spread: Int, offset: Int): Seq[String] = {
    val v = s"cast(hash(id, $offset) % $spread + $offset as int)"
    Seq(
      s"if(id % 11 = 0, null, cast($v % 100 as tinyint)) AS b",
      s"if(id % 13 = 0, null, cast($v as smallint)) AS s",
      s"if(id % 7 = 0, null, $v) AS i",
      s"if(id % 17 = 0, null, cast($v as bigint)) AS l",
      s"if(id % 5 = 0, null, cast($v / 4 as decimal(9, 2))) AS d",
      s"if(id % 19 = 0, null, cast($v as decimal(25, 3))) AS e",
      s"if(id % 3 = 0, null, date_add(DATE '2000-01-01', $v)) AS t",
      s"timestamp_seconds($v * 3600) AS n",
      s"if(id % 23 = 0, null, concat('k', $v)) AS w",
      s"cast(cast($v as string) as binary) AS x",
      s"if(id % 29 = 0, double('NaN'), if($v = 0, -0.0D, cast($v as double))) AS f",
      s"$v % 2 = 0 AS z",
      s"id AS id_$rows"
    )
  }

  private val tables = Seq("a" -> (20000, 3000), "b" -> (2000, 1000), "c" -> (300, 300), "d" -> (50, 2000))

  private lazy val directory = {
    val path = Files.createTempDirectory("joins").toString
    for (((name, (rows, spread)), i) <- tables.zipWithIndex) {
      val sorted = if (i % 2 == 0) "i" else "w"
      spark.range(0, rows.toLong, 1, 2).selectExpr(table(rows, spread, i * 100): _*).repartitionByRange(
        4,
        org.apache.spark.sql.functions.col(sorted)
      )
        .sortWithinPartitions(sorted).write.option(
          "parquet.block.size",
          "32768"
        ).option("parquet.page.size", "1024")
        .parquet(s"$path/$name")
      spark.read.parquet(s"$path/$name").createOrReplaceTempView(name)
    }
    path
  }

  private val joinTypes =
    Seq("JOIN", "JOIN", "JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN", "LEFT SEMI JOIN", "LEFT ANTI JOIN")

  /** A relation and the aliases that it shows. */
  private def source(random: Random, alias: String): String = {
    val (name, _) = tables(random.nextInt(tables.size))
    val where = random.nextInt(5) match {
      case 0 => ""
      case 1 => s" WHERE i % ${2 + random.nextInt(50)} = 1"
      case 2 => s" WHERE l BETWEEN ${random.nextInt(500)} AND ${500 + random.nextInt(1000)}"
      case 3 => s" WHERE w LIKE 'k${random.nextInt(9)}%'"
      case _ => s" WHERE t > DATE '200${random.nextInt(9)}-01-01' AND z"
    }
    random.nextInt(8) match {
      case 2 =>
        s"(SELECT i, l, w, t FROM (SELECT *, row_number() OVER (PARTITION BY i ORDER BY l, w, t) AS n_ FROM $name$where) WHERE n_ = 1) $alias"
      case 3 =>
        s"(SELECT i, l, max(w) AS w, max(t) AS t, count(DISTINCT s) AS n_, count(DISTINCT d) AS m_ FROM $name$where GROUP BY i, l) $alias"
      case 0 =>
        s"(SELECT i, l, max(w) AS w, max(t) AS t, count(*) AS n_ FROM $name$where GROUP BY i, l) $alias"
      case 1 => s"(SELECT * FROM $name$where UNION ALL SELECT * FROM $name WHERE i = 3) $alias"
      case _ => s"(SELECT * FROM $name$where) $alias"
    }
  }

  private def condition(random: Random, left: String, right: String): String = {
    val common = Seq("i", "l", "w", "t")
    def key = {
      val column = common(random.nextInt(common.size))
      random.nextInt(8) match {
        case 0 => s"$left.i = $right.l"
        case 1 => s"cast($left.i as decimal(12, 1)) = cast($right.l as decimal(22, 1))"
        case 2 => s"$left.$column <=> $right.$column"
        case _ => s"$left.$column = $right.$column"
      }
    }
    (Seq.fill(1 + random.nextInt(2))(key) ++
      Option.when(random.nextInt(4) == 0)(s"$left.l + $right.i > 100")).mkString(" AND ")
  }

  private def query(random: Random): String = {
    val star = random.nextBoolean()
    val count = 2 + random.nextInt(3)
    val (text, shown) = (1 until count).foldLeft((source(random, "t0"), Seq("t0"))) {
      case ((text, shown), i) =>
        val kind = joinTypes(random.nextInt(joinTypes.size))
        val with_ = if (star) shown.head else shown.last
        val joined = s"$text $kind ${source(random, s"t$i")} ON ${condition(random, with_, s"t$i")}"
        (joined, if (kind.contains("SEMI") || kind.contains("ANTI")) shown else shown :+ s"t$i")
    }
    val sums = shown.map(alias => s"bit_xor(xxhash64($alias.i, $alias.l, $alias.w, $alias.t))")
    s"SELECT count(*), ${sums.mkString(", ")} FROM $text"
  }

  private def typed(random: Random): String = {
    val column = columns(random.nextInt(columns.size))
    val kind = joinTypes(random.nextInt(joinTypes.size))
    s"SELECT count(*), bit_xor(xxhash64(p.i, p.w)) FROM a p $kind (SELECT * FROM c WHERE i % ${5 + random.nextInt(40)} = 2) q ON p.$column = q.$column"
  }

  private def conf(random: Random): Seq[(String, String)] = Seq(
    "spark.sql.adaptive.enabled" -> random.nextBoolean().toString,
    "spark.sql.autoBroadcastJoinThreshold" -> Seq("-1", "10MB", "40KB")(random.nextInt(3)),
    "spark.sql.join.preferSortMergeJoin" -> random.nextBoolean().toString,
    "spark.sql.dynamicFilter.minProbeSize" -> "0",
    "spark.sql.dynamicFilter.maxRanges" -> Seq("1", "4", "64")(random.nextInt(3)),
    "spark.sql.ansi.enabled" -> random.nextBoolean().toString,
    "spark.sql.codegen.wholeStage" -> (random.nextInt(5) > 0).toString
  )

  private def filters(plan: SparkPlan): Int = collectWithSubqueries(plan) { case f: DynamicFilterExec =>
    f
  }.size

  test(s"$joins random joins have the rows of stock Spark") {
    directory
    var placed = 0
    val faults = (firstSeed until firstSeed + joins).flatMap { seed =>
      val random = new Random(seed)
      val text = if (random.nextInt(4) == 0) typed(random) else query(random)
      memory.forget()
      withConf(conf(random): _*) {
        val expected = withConf("spark.sql.dynamicFilter.enabled" -> "false")(sorted(spark.sql(text)))
        val asked = spark.sql(text)
        val found = sorted(asked)
        placed += math.min(filters(asked.queryExecution.executedPlan), 1)
        Option.when(found != expected)(s"Seed $seed: $text: $found instead of $expected")
      }
    }
    info(s"$placed of $joins had a dynamic filter")
    assert(faults.isEmpty, faults.take(3).mkString("\n"))
    assert(placed * 4 > joins)
  }
}
