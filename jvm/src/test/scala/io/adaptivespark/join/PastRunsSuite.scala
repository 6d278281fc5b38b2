package io.adaptivespark.join

import java.nio.file.Files

import org.apache.spark.sql.Row
import org.scalatest.funsuite.AnyFunSuite

import io.adaptivespark.Forms
import io.adaptivespark.history.memory.{Prior, PruningMemory}

/** What earlier queries and runs tell of a dynamic filter: whether it is worth waiting for, and
  * by which signature it is known.
  */
class PastRunsSuite extends AnyFunSuite with TaggedQueries {

  /** The rows of the `i`-th query with this tag. */
  private def again(tag: String, i: Int, text: String, conf: (String, String)*): Seq[Row] = {
    val run = "spark.sql.adaptiveFilter.runId" -> s"$tag.$i"
    tagged(tag, text, conf :+ run: _*).filter(_.getAs[String]("run_id") == run._2)
  }

  // Nearly all rows of the large table have a partner.
  private val keepsMost =
    "SELECT count(*), sum(id) FROM fact JOIN (SELECT id AS k FROM fact_orc WHERE g + id >= 7) ON id = k"
  private val leftOut = "kept_too_many"

  private def isLeftOut(rows: Seq[Row]): Boolean = !verdicts(rows).contains("filtered") &&
    rows.filter(_.getAs[String]("verdict_code") == leftOut)
      .exists(_.getAs[Map[String, Double]]("verdict_figures")("kept") > 0.995)

  for (aqe <- Seq("true", "false"))
    test(
      s"a filter that kept most rows is not waited for again, until it is time to look again, AQE $aqe",
      Forms.unless(aqe == "true"): _*
    ) {
      memory.forget()
      val runs = (0 to PruningMemory.Patience + 2).map { i =>
        again(s"most.$aqe", i, keepsMost, noBroadcast, "spark.sql.adaptive.enabled" -> aqe)
      }
      (runs.take(2) :+ runs.last).foreach(rows => assert(verdicts(rows) == Seq("filtered"), rows))
      runs.init.drop(2).foreach(rows => assert(isLeftOut(rows), rows))
    }

  test("constants make no other filter, a hint asks for it, and a broadcast is not waited for") {
    memory.forget()
    def ask(i: Int, text: String, conf: (String, String) = noBroadcast) = again("other", i, text, conf)
    assert(verdicts(ask(0, keepsMost)) == Seq("filtered"))
    assert(verdicts(ask(1, keepsMost.replace("7", "6"))) == Seq("filtered"))
    val other = keepsMost.replace("7", "5")
    assert(isLeftOut(ask(2, other)))
    val hinted = other.replaceFirst("SELECT", "SELECT /*+ DYNAMIC_FILTER(fact) */")
    assert(verdicts(ask(3, hinted)).toSet == Set("filtered"))
    assert(verdicts(ask(4, other, "spark.sql.autoBroadcastJoinThreshold" -> "1g")) == Seq("filtered"))
  }

  test("one query that keeps most, or another model's, says nothing of the next") {
    memory.forget()
    val keepsFew = keepsMost.replace("7", "199990")
    Seq(keepsFew, keepsMost, keepsFew, keepsMost).zipWithIndex.foreach { case (text, i) =>
      assert(verdicts(again("broad", i, text, noBroadcast)) == Seq("filtered"), i)
    }
    assert(verdicts(again("broad", 4, keepsMost, noBroadcast)) == Seq("filtered"))
    assert(isLeftOut(again("broad", 5, keepsFew, noBroadcast)))
    assert(verdicts(again("narrow", 0, keepsFew, noBroadcast)) == Seq("filtered"))
  }

  test("a filter that is worth its cost in one scan of a query is made in all that share its name") {
    memory.forget()
    val few = keepsMost.replace("7", "199990")
    val schemas = Seq("us", "eu")
    try {
      schemas.foreach { schema =>
        spark.sql(s"CREATE SCHEMA $schema")
        spark.sql(s"CREATE TABLE $schema.events USING parquet AS SELECT * FROM fact")
      }
      val parts = Seq(few, keepsMost).zip(schemas)
        .map { case (query, schema) => query.replace("FROM fact ", s"FROM $schema.events ") }
      for ((tag, text) <- Seq("least first" -> parts, "least last" -> parts.reverse); i <- 0 to 3) {
        val told = verdicts(again(tag, i, text.mkString(" UNION ALL "), noBroadcast))
        assert(told == Seq("filtered", "filtered"), s"$tag, $i")
      }
    } finally schemas.foreach(schema => spark.sql(s"DROP SCHEMA IF EXISTS $schema CASCADE"))
  }

  test("a build side that turned out too large is not waited for again and again") {
    memory.forget()
    val runs = (0 to 2).map(again(
      "large",
      _,
      keepsMost.replace("7", "199000"),
      noBroadcast,
      "spark.sql.dynamicFilter.maxBuildSize" -> "1k"
    ))
    runs.init.foreach(rows => assert(verdicts(rows).forall(_ == "build_too_large"), rows))
    assert(isLeftOut(runs.last), runs.last)
  }

  // Where one waits for the keys, the others may use them, too.
  test("of the scans that a key is traced to, each has a memory of its own") {
    memory.forget()
    val text =
      """SELECT count(*), sum(id) FROM (SELECT id FROM fact UNION ALL SELECT cast(g AS bigint) AS id FROM fact_p) JOIN
        |(SELECT id AS k FROM fact_orc WHERE g + id >= 7) ON id = k""".stripMargin
    val Seq(first, _, second) = Seq(0, 1, 2).map(again("two", _, text, noBroadcast))
    def of(rows: Seq[Row], scan: String) = verdicts(rows.filter(_.getAs[String]("scan").endsWith(scan)))
    assert(of(first, "fact") == Seq("filtered") && of(first, "fact_p") == Seq("filtered"), first)
    assert(of(second, "fact").head == leftOut && of(second, "fact_p") == Seq("filtered"), second)
  }

  test("keys from within a build side are not waited for again where they kept most rows") {
    memory.forget()
    val text =
      """SELECT /*+ MERGE(fact) */ count(*), sum(fact.id) FROM (SELECT /*+ BROADCAST(x) */ big.* FROM
        |  (SELECT * FROM unordered UNION ALL SELECT * FROM unordered WHERE id < 0) big
        |  JOIN (SELECT id AS xid FROM fact_orc WHERE g + id >= 7) x ON big.id = xid
        |) q LEFT JOIN fact ON q.id = fact.id""".stripMargin
    val Seq(first, _, second) = Seq(0, 1, 2).map { i =>
      again("within", i, text, noBroadcast).filter(_.getAs[String]("scan").endsWith("fact"))
    }
    assert(verdicts(first) == Seq("filtered") && first.head.getAs[String]("build_key").endsWith("xid"), first)
    assert(isLeftOut(second), second)
    assert((first ++ second).map(_.getAs[String]("signature")).distinct.size == 1, second)
  }

  test("what an earlier run learned counts as long as nothing newer is known") {
    memory.forget()
    val Seq(row) = tagged("prior.0", keepsMost, noBroadcast)
    memory.forget()
    val signature = row.getAs[String]("signature")
    def remember(tag: String, kept: Int, run: String = ""): Unit = {
      val prior = s"""{"version": 2, "predicates": {}, "joins": {"$signature": $kept}}"""
      spark.sql(s"SELECT done FROM adaptive_remember('$tag', '$run', '$prior')").collect()
    }
    remember("prior.1", 900)
    assert(verdicts(tagged("prior.1", keepsMost, noBroadcast)) == Seq("filtered"))
    memory.forget()
    (0 to PruningMemory.Patience).foreach(i => remember("prior.2", 1000, s"prior.2.$i"))
    (1 to PruningMemory.Patience).foreach(i => assert(isLeftOut(again("prior.2", i, keepsMost, noBroadcast))))
    assert(verdicts(again("prior.2", 0, keepsMost, noBroadcast)) == Seq("filtered"))
    assert(verdicts(tagged("prior.3", keepsMost, noBroadcast)) == Seq("filtered"), "another model's")
  }

  private def signatures(tag: String, text: String): Seq[String] =
    tagged(tag, text, noBroadcast).flatMap(row => Option(row.getAs[String]("signature"))).distinct

  test(
    "a filter has one signature in every schema and folder, cached or not, whatever aliases and constants are"
  ) {
    directory
    val found = Seq("pr_1" -> "f", "pr_2" -> "g").map { case (schema, alias) =>
      val folder = Files.createTempDirectory(schema)
      spark.sql(s"CREATE DATABASE $schema")
      for (table <- Seq("fact", "dim")) {
        spark.table(table).write.saveAsTable(s"$schema.$table")
        spark.table(table).write.parquet(s"$folder/$table")
      }
      def in(kind: String, fact: String, dim: String) = signatures(
        s"$schema.$kind",
        s"SELECT count(*), sum($alias.id) FROM $fact $alias JOIN $dim d$alias ON $alias.id = d$alias.k WHERE d$alias.dep = ${alias.head.toInt %
            10}"
      )
      val tables = in("tables", s"$schema.fact", s"$schema.dim")
      val files = in("files", s"parquet.`$folder/fact`", s"parquet.`$folder/dim`")
      spark.sql(s"CACHE TABLE $schema.fact")
      spark.sql(s"CACHE TABLE $schema.dim")
      val cached = in("cached", s"$schema.fact", s"$schema.dim")
      spark.catalog.clearCache()
      Seq(tables, files, cached)
    }
    assert(found.flatten.forall(_.size == 1) && found.flatten.flatten.distinct.size == 1, found)
    assert(found.head.head.head.startsWith("fact: id in keys of k k"), found)
  }

  test("columns whose names differ in digits, and cached queries, make other signatures that stay") {
    directory
    spark.sql("CREATE DATABASE digits")
    spark.table("dim").selectExpr(
      "k",
      "dep AS `2024_dep`",
      "dep AS `2025_dep`"
    ).write.saveAsTable("digits.dim")
    def of(column: String, i: Int) = signatures(
      s"digits.$i",
      s"SELECT count(*), sum(id) FROM fact JOIN digits.dim ON id = k WHERE `$column` = 7"
    )
    val Seq(one, other) = Seq("2024_dep" -> 0, "2025_dep" -> 1).map { case (column, i) => of(column, i) }
    assert(one.size == 1 && other.size == 1 && one != other)
    val cached = (2 to 3).map { i =>
      val rows = spark.table("digits.dim").where("k >= 0").cache()
      rows.createOrReplaceTempView("cached_dim")
      rows.count()
      try signatures(
          s"digits.$i",
          "SELECT count(*), sum(id) FROM fact JOIN cached_dim ON id = k WHERE `2024_dep` = 7"
        )
      finally rows.unpersist(blocking = true)
    }
    assert(cached.head.nonEmpty && cached.distinct.size == 1, cached)
  }

  test("adaptive execution asks several times for a query and gets the same answer") {
    val of = new PruningMemory
    val key = PruningMemory.Key("ann", "s", "")
    Seq(0L, 1L, 1L).foreach(query => of.learn(key, Some(query), () => Some(0.95)))
    def ask(query: Option[Long]) = {
      val kept = of.expected(key, query, Prior.none)
      kept.foreach(of.leaveOut(key, query, _))
      kept.isDefined
    }
    assert(!ask(Some(1)), "the query that it is known from")
    assert((2L to 5L).flatMap(query => Seq.fill(3)(ask(Some(query)))).forall(identity))
    assert(!ask(Some(6)) && ask(Some(5)))
    of.learn(key, Some(6), () => Some(0.95))
    assert((1 to 5).map(_ => ask(None)) == Seq(true, true, true, true, false))
    assert(of.expected(key.copy(learners = "ben"), Some(7), Prior.none).isEmpty)
  }
}
