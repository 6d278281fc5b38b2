package io.adaptivespark.analyze

import org.apache.spark.sql.catalyst.catalog.CatalogColumnStat
import org.apache.spark.sql.catalyst.plans.logical.{Histogram, HistogramBin}
import org.scalatest.Assertion
import org.scalatest.funsuite.AnyFunSuite

import io.adaptivespark.{Forms, OfThisSpark}

/** Queries of columns of each type, with statistics of all of them in the catalog and the cost-based
  * optimizer on: they are planned, and give the rows that they give without it.
  */
class StatisticsOfEachTypeSuite extends AnyFunSuite with CostBased {
  import StatisticsOfEachTypeSuite._

  override protected def staticConf: Map[String, String] =
    super.staticConf + ("spark.sql.timeType.enabled" -> "true")

  override protected def beforeAll(): Unit = {
    super.beforeAll()
    create("plain", Analyzed)
    create("drawn", Analyzed)
    create("foreign", Refused)
    tables("plain").foreach(analyze(_, histograms = false))
    tables("drawn").foreach(analyze(_, histograms = true))
    val bins = Array.tabulate(4)(at => HistogramBin(at.toDouble, at + 1.0, 1))
    tables("foreign").foreach(table =>
      store(
        table,
        Rows,
        Refused.flatMap(_.columns).map(_ -> CatalogColumnStat(
          distinctCount = Some(20),
          min = Some("0"),
          max = Some("4"),
          nullCount = Some(3),
          avgLen = Some(8),
          maxLen = Some(8),
          histogram = Some(Histogram(5, bins))
        )).toMap
      )
    )
  }

  private def create(kind: String, kinds: Seq[ColumnType]): Unit = {
    val columns = kinds.flatMap(each => each.columns.map(column => s"$column ${each.sql}"))
    val values = kinds.flatMap(each => Seq("id", "id + 5").map(each.nullable))
    tables(kind).foreach { table =>
      spark.sql(s"CREATE TABLE $table (id int, ${columns.mkString(", ")}) USING parquet")
      spark.sql(s"INSERT INTO $table SELECT id, ${values.mkString(", ")} FROM range(0, $Rows, 1, 1)")
    }
  }

  private def forms(each: ColumnType) = Forms.unless(Fewest(each.sql))

  private def assertSame(sql: String): Assertion = {
    val (found, expected) = rows(sql)
    assert(found == expected)
  }

  (Analyzed ++ Refused).foreach { each =>
    test(s"constants of the type ${each.sql} beside a table with statistics", forms(each): _*) {
      val table = tables("plain").head
      val Seq(column, other) = each.columns
      for (constant <- each.value("20") +: each.constants) {
        def select(value: String) = s"SELECT id, $value AS $column, $constant AS $other FROM $table"
        val both = s"(${select(constant)} UNION ALL ${select(each.value("id"))})"
        val queries = each.conditions.takeRight(4).flatMap(condition =>
          Seq(s"(${select(constant)})", both).map(a =>
            s"SELECT b.id FROM $table b LEFT JOIN $a a ON a.id = b.id WHERE ${condition("a.")} OR a.$column IS NULL"
          )
        ) ++
          (if (each.isOrdered) Some(s"SELECT a.id FROM $both a FULL JOIN $both b USING ($column)") else None)
        assert(queries.flatMap(fault(_)) == Nil)
      }
    }
  }

  test("comparisons with NaN, and columns that hold it or infinity") {
    spark.sql("CREATE TABLE numbers (id int, finite double, wide double, nan float) USING parquet")
    spark.sql(
      s"INSERT INTO numbers SELECT id, id / 7, IF(id = 3, double('-infinity'), id), IF(id = 3, float('nan'), id) FROM range($Rows)"
    )
    for (histograms <- Seq(true, false); column <- Seq("finite", "wide", "nan")) {
      analyze("numbers", histograms)
      val conditions = for {
        op <- if (histograms || Forms.all) Seq("=", "<", ">=") else Seq("<")
        value <- Seq("5", "double('nan')", "double('infinity')", "sqrt(-1)", "a.finite")
      } yield s"a.$column $op $value"
      conditions.foreach { condition =>
        val sql = s"SELECT count(*) FROM numbers a JOIN numbers b ON a.id = b.id WHERE $condition"
        assert(fault(sql) == None)
      }
      val sql = s"SELECT count(*) FROM numbers a JOIN numbers b USING ($column) WHERE $column < 9"
      assertSame(sql)
    }
  }

  test("text of which all values are null, on both sides of a join") {
    spark.sql(
      "CREATE TABLE nothing USING parquet AS SELECT id, CAST(NULL AS string) AS s, CAST(NULL AS binary) AS b FROM range(9)"
    )
    analyze("nothing", histograms = false)
    Seq("s", "b").foreach { column =>
      assert(fault(s"SELECT x.id FROM nothing x JOIN nothing y USING ($column)") == None)
      assert(fault(s"SELECT x.id FROM nothing x FULL JOIN nothing y USING ($column)") == None)
    }
  }

  test("a table of no rows") {
    spark.sql(s"CREATE TABLE empty USING parquet AS SELECT * FROM ${tables("plain").head} WHERE id < 0")
    analyze("empty", histograms = true)
    Analyzed.filter(each => Forms.all || isFirst(each)).foreach(each =>
      assert(contexts(each, "empty", tables("drawn").head, each.conditions.last).flatMap(fault(_)) == Nil)
    )
  }

  for {
    kind <- Seq("plain", "drawn", "foreign")
    each <- if (kind == "foreign") Refused else Analyzed
  } {
    test(
      s"filters, joins and groups of a column of the type ${each.sql}, with statistics that are $kind",
      Forms.unless(kind != "plain" && isFirst(each)): _*
    ) {
      val Seq(left, right) = tables(kind)
      val joined = s"SELECT a.id FROM $left a JOIN $right b ON a.id = b.id WHERE "
      val queries = (if (kind == "plain") each.conditions.takeRight(4) else each.conditions).map(condition =>
        joined + condition("a.")
      ) ++ contexts(each, left, right, each.conditions.last)
      assert(queries.flatMap(fault(_)) == Nil)
    }

    if (kind != "plain")
      test(s"rows of a column of the type ${each.sql}, with statistics that are $kind", forms(each): _*) {
        val Seq(left, right) = tables(kind)
        val queries = contexts(each, left, right, each.conditions.last)
        val counts = Seq(queries(1), queries.last).map(sql => s"SELECT count(*) FROM ($sql)")
        val sql = counts.mkString(" UNION ALL ")
        assertSame(sql)
      }
  }
}

private object StatisticsOfEachTypeSuite {
  private val Rows = 40

  private def tables(kind: String): Seq[String] = Seq(s"${kind}_left", s"${kind}_right")

  /** A type, and its value for a number that replaces `#`. */
  private final case class ColumnType(sql: String, of: String, isOrdered: Boolean = true) {
    private val name = sql.replaceAll("\\W+", "_")
    val columns: Seq[String] = Seq(s"c_$name", s"d_$name")
    private val Seq(column, other) = columns

    def value(number: String): String = s"CAST(${of.replace("#", s"CAST($number AS INT)")} AS $plainSql)"

    // a cast to text of a length would be one to text
    private def plainSql: String = if (sql.contains("char")) "string" else sql

    /** Null, and values that are no numbers. */
    def constants: Seq[String] = Seq(s"CAST(NULL AS $plainSql)") ++
      (if (sql == "double" || sql == "float") Seq(s"CAST('NaN' AS $sql)", s"CAST('-Infinity' AS $sql)")
       else Nil)

    def nullable(number: String): String = s"IF(id % 9 = 0, NULL, ${value(number)})"

    /** Conditions on the columns after a qualifier. */
    def conditions: Seq[String => String] = {
      val Seq(low, mid, high) = Seq("8", "20", "31").map(value)
      val many = (0 to 11).map(at => value(at.toString)).mkString(", ")
      val nulls = Seq((of: String) => s"$of$column IS NULL", (of: String) => s"$of$column IS NOT NULL")
      if (!isOrdered) nulls
      else
        nulls ++ Seq("=", "<=>", "<>", "<", "<=", ">", ">=").map(op =>
          (of: String) => s"$of$column $op $mid"
        ) ++ Seq[String => String](
          of => s"$low < $of$column",
          of => s"$of$column = $of$other",
          of => s"$of$column <=> $of$other",
          of => s"$of$column < $of$other",
          of => s"$of$column IN ($low, $high)",
          of => s"$of$column IN ($many)",
          of => s"$of$column NOT IN ($low, NULL)",
          of => s"$of$column NOT BETWEEN $low AND $mid",
          of => s"CAST($of$column AS STRING) = CAST($low AS STRING)",
          of => s"coalesce($of$column, $low) = $mid",
          of => s"$of$column < $mid OR $of$column IS NULL",
          of => s"$of$column >= $low AND $of$column < $high AND $of$other > $low AND $of$column <> $mid",
          of => s"$of$column = $of$other AND $of$column > $low",
          of => s"$of$column BETWEEN $low AND $high"
        )
    }
  }

  /** Queries in which a condition is estimated. */
  private def contexts(
      each: ColumnType,
      left: String,
      right: String,
      condition: String => String
  ): Seq[String] = {
    val column = each.columns.head
    val both = s"SELECT * FROM $left UNION ALL SELECT * FROM $right"
    val joined = s"$right b LEFT JOIN"
    Seq(
      s"SELECT b.id FROM $joined $left a ON a.id = b.id WHERE ${condition("a.")} OR a.$column IS NULL",
      s"SELECT b.id FROM $joined ($both) a ON a.id = b.id WHERE ${condition("a.")} OR a.$column IS NULL",
      s"SELECT id FROM $left a WHERE id IN (SELECT id FROM $right b WHERE ${condition("b.")})",
      s"SELECT id FROM $left a WHERE NOT EXISTS (SELECT * FROM $right b WHERE a.id = b.id AND ${condition("b.")})"
    ) ++
      (if (!each.isOrdered) Nil
       else
         Seq(
           s"SELECT a.id FROM $left a JOIN $right b ON a.$column = b.$column JOIN $left x ON b.id = x.id WHERE ${condition("a.")}",
           s"SELECT a.id FROM $left a FULL JOIN $right b ON a.$column = b.$column AND ${condition("b.")}",
           s"SELECT $column FROM (SELECT $column, max(id) FROM $left GROUP BY $column) a LEFT SEMI JOIN " +
             s"(SELECT * FROM $right b WHERE ${condition("b.")}) b USING ($column)",
           s"SELECT DISTINCT $column FROM ($both) a WHERE ${condition("a.")}",
           s"SELECT $column, count(*) FROM $left a JOIN $right b USING ($column) WHERE ${condition("a.")} GROUP BY $column"
         ))
  }

  // of these ANALYZE collects statistics
  private val Analyzed = Seq(
    ColumnType("boolean", "# % 2 = 0"),
    ColumnType("tinyint", "#"),
    ColumnType("smallint", "#"),
    ColumnType("int", "#"),
    ColumnType("bigint", "9223372036854775807 - #"),
    ColumnType("float", "# / 3"),
    ColumnType("double", "# / 7"),
    ColumnType("decimal(9, 2)", "# / 4"),
    ColumnType("decimal(38, 0)", "88888888888888888888888888888888888888BD - #"),
    ColumnType("decimal(38, 18)", "# / 7"),
    ColumnType("date", "date_add(date'9999-12-20', #)"),
    ColumnType("timestamp", "timestamp'1582-10-01 00:00:00' + make_dt_interval(#)"),
    ColumnType("timestamp_ntz", "timestamp_ntz'2024-01-01 00:00:00' + make_dt_interval(#)"),
    ColumnType("string", "concat('v', #)"),
    ColumnType("string collate UTF8_LCASE", "concat('v', #)"),
    ColumnType("string collate UNICODE_CI", "concat('v', #)"),
    ColumnType("char(4)", "concat('v', #)"),
    ColumnType("varchar(8)", "concat('v', #)"),
    ColumnType("binary", "concat('v', #)")
  ).filter(each => OfThisSpark.hasTypes(each.sql))

  // One of each group of types that Spark estimates alike.
  private val First = Set("boolean", "bigint", "double", "decimal(38, 18)", "date", "timestamp_ntz", "string")
    .union(Set("string collate UTF8_LCASE", "interval day to second", "struct<x: int>", "variant"))

  // for tests that take long: one that passes, one that ANALYZE collects in vain, one that it refuses
  private val Fewest = Set("double", "timestamp_ntz", "interval day to second")

  private def isFirst(each: ColumnType): Boolean = First(each.sql)

  // of these it does not; another tool may
  private val Refused = Seq(
    ColumnType("interval year to month", "make_ym_interval(#)"),
    ColumnType("interval day to second", "make_dt_interval(#)"),
    ColumnType("struct<x: int>", "named_struct('x', #)"),
    ColumnType("array<int>", "array(#)"),
    ColumnType("map<int, int>", "map(#, #)", isOrdered = false),
    ColumnType("variant", "to_variant_object(array(#))", isOrdered = false)
  ).filter(each => OfThisSpark.hasTypes(each.sql))
}
