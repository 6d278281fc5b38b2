package io.adaptivespark.analyze

import org.apache.spark.sql.catalyst.TableIdentifier
import org.apache.spark.sql.catalyst.catalog.{CatalogColumnStat, HiveTableRelation}
import org.apache.spark.sql.catalyst.plans.logical.{Histogram, HistogramBin}
import org.apache.spark.sql.execution.datasources.LogicalRelation
import org.scalatest.funsuite.AnyFunSuite

import io.adaptivespark.shim.SessionShim

/** Statistics that no ANALYZE of the table as it is has written: they cost no query, and stay in the catalog. */
class ForeignStatisticsSuite extends AnyFunSuite with CostBased {
  import ForeignStatisticsSuite._

  private lazy val sound = statistics("sold")

  override protected def beforeAll(): Unit = {
    super.beforeAll()
    Tables.foreach { table =>
      spark.sql(
        s"""CREATE TABLE $table USING parquet AS SELECT id, cast(id AS int) AS i, id % 2 = 0 AS flag, cast(id / 7 AS double) AS r,
           |cast(id / 7 AS decimal(38, 18)) AS n, date_add(date'2026-01-01', cast(id AS int)) AS day, concat('v', id) AS s,
           |timestamp'2026-01-01 00:00:00' + make_dt_interval(cast(id AS int)) AS at, cast(concat('v', id) AS binary) AS b,
           |timestamp_ntz'2026-01-01 00:00:00' + make_dt_interval(cast(id AS int)) AS local FROM range(0, $Rows, 1, 1)""".stripMargin
      )
      analyze(table, histograms = true)
    }
  }

  Faults.foreach { case (name, change) =>
    test(s"queries are planned with $name") {
      val columns = sound.colStats.map { case (column, found) => column -> change(found) }
      Tables.foreach(store(_, Rows, columns))
      val queries = columns.keys.toSeq.sorted.flatMap { column =>
        val value = spark.sql(s"SELECT CAST($column AS STRING) FROM sold WHERE id = 17").head().getString(0)
        val typed = s"CAST('$value' AS ${spark.table("sold").schema(column).dataType.sql})"
        Seq(
          s"SELECT x.id FROM sold x JOIN kept y ON x.$column = y.$column WHERE x.$column < $typed OR y.$column >= $typed",
          s"SELECT x.id FROM sold x FULL JOIN kept y ON x.$column = y.$column AND x.$column IN ($typed, NULL)",
          s"SELECT $column, count(*) FROM (SELECT * FROM sold UNION ALL SELECT * FROM kept) GROUP BY $column HAVING $column = $typed"
        )
      }
      assert(queries.flatMap(fault(_)) == Nil)
    }
  }

  test("statistics of another type, of before the column's was changed") {
    val names = sound.colStats.keys.toSeq.sorted
    for ((column, at) <- names.zipWithIndex) {
      val columns = Map(column -> sound.colStats(names((at + 1) % names.size)))
      Tables.foreach(store(_, Rows, columns))
      val sql =
        s"SELECT x.id FROM sold x JOIN kept y ON x.$column = y.$column WHERE x.$column = (SELECT max($column) FROM kept)"
      assert(fault(sql) == None)
    }
  }

  test("the catalog, adaptive_catalog and a snapshot keep what the planner does not see") {
    Tables.foreach(store(_, Rows, sound.colStats))
    val before = statistics("sold").colStats("local")
    assert(rows(Query)._1.nonEmpty)
    def shown: String = spark.sql(
      "SELECT min FROM adaptive_catalog('default', 'sold') WHERE column_name = 'local'"
    ).head().getString(0)
    assert(shown == "2026-01-01 00:00:00.000000")
    spark.sql("SELECT * FROM adaptive_keep_statistics('default', 'sold')").collect()
    costBased(true)(spark.sql("INSERT INTO sold SELECT * FROM sold WHERE local < timestamp_ntz'2020-01-01'"))
    spark.sql("SELECT * FROM adaptive_restore_statistics('default', 'sold')").collect()
    costBased(true)(spark.sql("ANALYZE TABLE sold COMPUTE STATISTICS FOR COLUMNS id"))
    assert(statistics("sold").colStats("local") == before && shown == "2026-01-01 00:00:00.000000")
  }

  test("a cached table whose statistics were used") {
    Tables.foreach(store(_, Rows, sound.colStats))
    costBased(true) {
      spark.sql("CACHE TABLE held AS SELECT * FROM sold WHERE local > timestamp_ntz'2026-01-02'")
      try {
        val sql = Query.replace("sold", "held")
        assert(fault(sql) == None &&
          spark.sql(sql).queryExecution.withCachedData.toString.contains("InMemoryRelation"))
        assert(spark.sql(sql).collect().nonEmpty)
      } finally spark.sql("UNCACHE TABLE held")
    }
  }

  test("a relation of Hive's lacks them too, and a plan stays the object where nothing is hidden") {
    val plan = spark.table("sold").queryExecution.analyzed.collectFirst { case each: LogicalRelation =>
      each
    }.get
    Tables.foreach(store(_, Rows, sound.colStats))
    val table = SessionShim.catalog(spark).getTableMetadata(TableIdentifier("sold"))
    val hive = HiveTableRelation(table, plan.output, Nil)
    costBased(true) {
      Seq(hive, plan.copy(catalogTable = Some(table))).foreach { relation =>
        val hidden = HideUnusableStatistics(relation)
        val columns = hidden.stats.attributeStats.keys.map(_.name).toSet
        assert(columns == sound.colStats.keySet - "local")
        assert(HideUnusableStatistics(hidden) eq hidden)
      }
    }
    costBased(false)(assert(HideUnusableStatistics(hive) eq hive))
  }
}

private object ForeignStatisticsSuite {
  private val Rows = 50
  private val Tables = Seq("sold", "kept")
  private val Query =
    "SELECT x.id FROM sold x JOIN kept y ON x.id = y.id WHERE x.local < timestamp_ntz'2026-01-20'"

  private def bins(of: HistogramBin*): CatalogColumnStat => CatalogColumnStat =
    _.copy(histogram = Some(Histogram(10, of.toArray)))

  private val Faults: Seq[(String, CatalogColumnStat => CatalogColumnStat)] = Seq(
    "a minimum alone" -> (_.copy(max = None)),
    "a histogram alone" -> (_.copy(min = None, max = None)),
    "a range that cannot be read" -> (_.copy(min = Some("b'a'"), max = Some("b'z'"))),
    "the range of text" -> (_.copy(min = Some("a"), max = Some("z"))),
    "an empty range" -> (found => found.copy(min = found.max, max = found.min)),
    "no number of distinct values" -> (_.copy(distinctCount = None)),
    "no number of nulls" -> (_.copy(nullCount = None)),
    "no counts" -> (found => CatalogColumnStat(min = found.min, max = found.max)),
    "no distinct value" -> (_.copy(distinctCount = Some(0))),
    "the first version of the format" -> (_.copy(version = 1)),
    "a histogram of no bin" -> bins(),
    "a histogram beside the range" -> bins(HistogramBin(-9, -8, 3)),
    "a histogram with gaps" -> bins(HistogramBin(-1e30, 0, 3), HistogramBin(3, 1e30, 3)),
    "a histogram of NaN" -> bins(HistogramBin(Double.NaN, Double.NaN, 3)),
    "a histogram of empty bins" -> bins(HistogramBin(-1e30, 5, 0), HistogramBin(5, 1e30, 0)),
    "no rows" -> (_ => CatalogColumnStat(distinctCount = Some(0), nullCount = Some(0)))
  )
}
