package io.adaptivespark.formats.random

import scala.util.Random

import io.adaptivespark.{Interpreted, Seeds}

/** A small table `t`, statements that merge sources into it one after the other, and the confs that these run with.
  *
  * Sources have keys that the table has, that it lacks, that are null, and that come twice; clauses change keys, too.
  */
final case class RandomMerge(made: Seq[String], merges: Seq[String], conf: Seq[(String, String)])

object RandomMerge {

  /** The number of `merges`. */
  val Merges = 5

  /** Rows that sources are taken from. */
  val Sources = "src"

  private val Keys = 60

  /** A type of key, and its value for an expression of a number. */
  private val KeyTypes: Seq[(String, String => String)] = Seq(
    "BIGINT" -> identity,
    "INT" -> (number => s"cast($number as int)"),
    "STRING" -> (number => s"concat('k', lpad($number, 3, '0'))"),
    "DATE" -> (number => s"date_add(DATE '2024-01-01', cast($number as int))"),
    "DECIMAL(12, 2)" -> (number => s"cast($number / 4 as decimal(12, 2))")
  )

  /** `Sources` in a format: rows of each of several batches. */
  def sources(format: String): String =
    s"""CREATE TABLE $Sources USING $format AS
       |SELECT cast(id / 20 as int) AS batch, if(id % 13 = 5, null, hash(id) % $Keys) AS number,
       |  cast(hash(id, 1) % 20 as int) AS v, cast(hash(id, 2) % 3 as int) AS p FROM range(0, 800, 1, 1)""".stripMargin

  /** The case of a seed.
    *
    * @param properties
    *   lists of table properties, of which the table gets one
    */
  def of(seed: Long, format: String, properties: Seq[String]): RandomMerge =
    new Maker(Seeds.random(seed), format, properties, isInterpreted = seed % 2 == 0).merge

  final private class Maker(
      random: Random,
      format: String,
      properties: Seq[String],
      isInterpreted: Boolean
  ) {
    private def one[T](of: Seq[T]): T = of(random.nextInt(of.size))
    private def maybe(share: Double)(text: => String): String = if (random.nextDouble() < share) text else ""

    private val (keyType, key) = one(KeyTypes)

    def merge: RandomMerge = {
      val partitioned = maybe(0.3)(" PARTITIONED BY (p)")
      val created =
        s"CREATE TABLE t (k $keyType, v INT, p INT) USING $format$partitioned TBLPROPERTIES (${one(properties)})"
      RandomMerge(created +: Seq.fill(1 + random.nextInt(3))(rows), Seq.fill(Merges)(statement), conf)
    }

    // Each file with keys of its own, as in a table that is clustered by them, or all files with any.
    private def rows: String = {
      val number = s"(id * ${one(Seq(1, 7, 11))} + ${random.nextInt(Keys)}) % $Keys"
      val spread = one(Seq("/*+ REPARTITION_BY_RANGE(3, k) */ ", "/*+ REPARTITION(2) */ ", ""))
      s"""INSERT INTO t SELECT $spread* FROM (
         |  SELECT if(id % 17 = 3, null, ${key(
          number
        )}) AS k, cast(id % 20 as int) AS v, cast(id % 3 as int) AS p
         |  FROM range(0, ${10 + random.nextInt(Keys)}, 1, 1))""".stripMargin
    }

    private def statement: String = {
      // only the last one may have no condition
      val clauses = maybe(0.3)(matched(1)) + maybe(0.8)(matched(0.4)) +
        maybe(0.7)(notMatched) + maybe(0.25)(bySource)
      s"MERGE INTO t USING ($source) s ON $condition ${if (clauses.isEmpty) notMatched else clauses}"
    }

    private def source: String = {
      val batch = random.nextInt(40)
      val range = maybe(0.4)(s" AND number BETWEEN ${random.nextInt(Keys / 2)} AND ${random.nextInt(Keys)}")
      val columns = s"${key("number")} AS k, v, p"
      val distinct = s"SELECT ${key("number")} AS k, max(v) AS v, max(p) AS p FROM $Sources"
      val where = s"WHERE batch = $batch$range"
      random.nextInt(4) match {
        // some keys twice
        case 0 => s"SELECT $columns FROM $Sources $where"
        case 1 =>
          s"SELECT $columns FROM (VALUES ($batch, 1, 1), (${batch + 1}, 2, 0), (null, 3, 2)) n(number, v, p)"
        case _ => s"$distinct $where GROUP BY number"
      }
    }

    private def condition: String = {
      // which keys can't follow
      val equal = if (random.nextInt(10) == 0) "t.k <=> s.k" else "t.k = s.k"
      equal + maybe(0.2)(" AND t.p = s.p") + maybe(0.15)(" AND s.v > 5") + maybe(0.15)(" AND t.v < 12")
    }

    private def matched(conditional: Double): String = {
      val action = one(Seq(
        "UPDATE SET v = s.v",
        "UPDATE SET v = t.v + s.v, p = s.p",
        s"UPDATE SET k = ${key("s.v")}",
        "DELETE"
      ))
      val condition = one(Seq("s.v > 8", "t.v < s.v", "t.p = 1", "t.k IS NOT NULL"))
      s" WHEN MATCHED${maybe(conditional)(s" AND $condition")} THEN $action"
    }

    private def notMatched: String =
      s" WHEN NOT MATCHED${maybe(0.3)(" AND s.v < 15")} THEN INSERT (k, v, p) VALUES (s.k, s.v, s.p)"

    private def bySource: String =
      s" WHEN NOT MATCHED BY SOURCE AND t.v > 10 THEN ${one(Seq("DELETE", "UPDATE SET v = t.v + 1"))}"

    private def conf: Seq[(String, String)] = Seq(
      "spark.sql.autoBroadcastJoinThreshold" -> one(Seq("-1", "10MB")),
      "spark.sql.adaptive.enabled" -> one(Seq("true", "true", "false")),
      "spark.sql.shuffle.partitions" -> one(Seq("1", "3")),
      "spark.sql.ansi.enabled" -> one(Seq("true", "false"))
    ) ++ Interpreted.conf(isOn = isInterpreted)
  }
}
