package io.adaptivespark.freshness

import java.nio.file.Files

import scala.util.{Failure, Success, Try}

import org.apache.spark.sql.{DataFrame, SparkSession}
import org.apache.spark.sql.catalyst.TableIdentifier
import org.apache.spark.sql.execution.adaptivespark.SessionCopy
import org.apache.spark.sql.execution.datasources.{HadoopFsRelation, LogicalRelation}
import org.scalatest.funsuite.AnyFunSuite

import io.adaptivespark.Interpreted
import io.adaptivespark.shim.SessionShim.Local

/** What a session reads after another one has written: the rows that a session reads which begins only then.
  *
  * CATALOG=hive takes sessions with Hive support, whose analyzer Spark builds otherwise.
  */
class FreshReadsSuite extends AnyFunSuite with Interpreted {
  import FreshReadsSuite._

  override protected def staticConf: Map[String, String] = super.staticConf ++ (
    if (sys.env.get("CATALOG").contains("hive")) {
      val metastore = Files.createTempDirectory("metastore").resolve("db")
      Map(
        "spark.sql.catalogImplementation" -> "hive",
        "spark.hadoop.javax.jdo.option.ConnectionURL" -> s"jdbc:derby:;databaseName=$metastore;create=true"
      )
    } else Map.empty
  )

  private lazy val base = spark.asInstanceOf[Local]

  // Each makes `t` another table than it was, in a session of its own, and can do so twice.
  private val writes = Seq(
    Write("append")("INSERT INTO t SELECT id + 100, id % 3 FROM range(50)"),
    Write("two appends")("INSERT INTO t VALUES (900, 1)", "INSERT INTO t VALUES (901, 2)"),
    Write("overwrite")("INSERT OVERWRITE t SELECT id, id % 2 FROM range(9)"),
    Write("truncate")("INSERT INTO t VALUES (1, 1)", "TRUNCATE TABLE t"),
    Write("made anew")("DROP TABLE t", "CREATE TABLE t USING parquet AS SELECT id, id % 2 p FROM range(3)"),
    Write("renamed over it")(
      "CREATE TABLE u USING parquet AS SELECT id, id % 2 p FROM range(6)",
      "DROP TABLE t",
      "ALTER TABLE u RENAME TO t"
    ),
    Write.by("DataFrameWriter.insertInto")(rows(_).write.insertInto("t")),
    Write.by("DataFrameWriter.saveAsTable, append")(rows(_).write.mode("append").saveAsTable("t")),
    Write.by("DataFrameWriter.saveAsTable, overwrite")(rows(_).write.mode("overwrite").saveAsTable("t"))
  )
  private val partitionWrites = Seq(
    writes.head,
    Write("overwrite of partitions")(
      "SET spark.sql.sources.partitionOverwriteMode=dynamic",
      "INSERT OVERWRITE t SELECT id, 1 FROM range(5)"
    ),
    Write("a new partition")("INSERT INTO t SELECT id, 77 FROM range(5)"),
    Write("partition dropped")("INSERT INTO t VALUES (1, 1)", "ALTER TABLE t DROP PARTITION (p = 1)"),
    Write("partition truncated")("INSERT INTO t VALUES (1, 1)", "TRUNCATE TABLE t PARTITION (p = 1)")
  )
  // A plan that held the table before has other columns, or another format, than the table has now.
  private val otherForms = Seq(
    Write("another format")("DROP TABLE t", "CREATE TABLE t USING orc AS SELECT id, id % 2 p FROM range(4)"),
    Write("another column")("DROP TABLE t", "CREATE TABLE t USING parquet AS SELECT id, 'x' p FROM range(4)"),
    Write.by("a column added") { of =>
      of.sql(s"ALTER TABLE t ADD COLUMNS (c${of.table("t").columns.length} INT)")
      of.sql("INSERT INTO t (id, p) VALUES (1, 1)")
    }
  )

  private val readers = Seq(
    Reader("by name", "TABLE t")(of => () => of.table("t")),
    Reader("in a subquery", InSubquery)(of => () => of.sql(InSubquery)),
    Reader("by a view of SQL", "TABLE t") { of =>
      of.sql("CREATE TEMPORARY VIEW v AS SELECT * FROM t")
      () => of.table("v")
    },
    Reader("by a copy of the session", "TABLE t")(of => () => SessionCopy.of(of).table("t")),
    Reader("by its statistics", Statistics)(of => () => of.sql(Statistics))
  )
  private val holders = Seq(
    Reader("by a DataFrame", "TABLE t") { of =>
      val held = of.table("t").where("id >= 0")
      () => held.select("*")
    },
    Reader("by a view of a DataFrame", "TABLE t") { of =>
      of.table("t").createOrReplaceTempView("v")
      () => of.table("v")
    },
    Reader("by a view of a DataFrame in a copy", "TABLE t") { of =>
      of.table("t").createOrReplaceTempView("v")
      () => SessionCopy.of(of).table("v")
    }
  )
  // All sessions share what one of them has cached.
  private val cached = Reader("by a cached table", "TABLE t") { of =>
    of.sql("CACHE TABLE t")
    () => of.table("t")
  }

  for {
    (form, partitions, writes) <- Seq(
      ("a table", "", writes),
      ("a table with partitions", "PARTITIONED BY (p) ", partitionWrites)
    )
    write <- writes
  } test(s"$form, $write") {
    assert(stale(partitions, write, readers ++ holders) ++ stale(partitions, write, Seq(cached)) == Nil)
  }

  for (write <- otherForms)
    test(s"a table made anew, $write") {
      // a view of SQL keeps its columns, and says so where it can't
      val able = readers.filterNot(_.name == "by a view of SQL")
      assert(stale("", write, able) ++ stale("", write, Seq(cached)) == Nil)
    }

  test("a write by its path") {
    makeTables("")
    val reader = base.newSession()
    val held = reader.table("t")
    assert(held.count() == 20)
    val location = base.sessionState.catalog.getTableMetadata(TableIdentifier("t")).location
    rows(base.newSession()).write.mode("append").parquet(location.toString)
    assert(Seq(held.select("*"), reader.table("t")).map(_.count()) == Seq(27, 27))
  }

  for ((change, statements) <- Seq("gone" -> Nil, "another now" -> otherForms.head.statements.tail))
    test(s"a DataFrame over a table that is $change fails, and reads no files that are not its own") {
      makeTables("")
      val held = base.newSession().table("t")
      ("DROP TABLE t" +: statements).foreach(base.newSession().sql(_))
      assert(Try(held.select("*").collect()).isFailure)
    }

  test("a write that failed or was only explained leaves the rows as they were") {
    makeTables("")
    val (reader, writer) = (base.newSession(), base.newSession())
    assert(reader.table("t").count() == 20)
    writer.sql("EXPLAIN INSERT INTO t VALUES (1, 1)").collect()
    assert(Try(writer.sql("INSERT INTO t SELECT raise_error('no'), 1")).isFailure)
    assert(reader.table("t").count() == 20)
  }

  test("files are listed anew only after a write of another session to that table") {
    makeTables("")
    val reader = base.newSession()
    def known = reader.table("t").queryExecution.analyzed.collectFirst { case of: LogicalRelation =>
      of.relation
    }
      .collect { case of: HadoopFsRelation => of.location }.get
    val before = known
    Seq(
      "INSERT INTO other VALUES (7, 7)",
      "DROP TABLE other",
      "SELECT count(*) FROM t",
      "CREATE OR REPLACE VIEW w AS SELECT * FROM t",
      "SET spark.sql.shuffle.partitions=3",
      "DESCRIBE EXTENDED t",
      "SHOW TABLES",
      "EXPLAIN SELECT * FROM t",
      "SELECT * FROM adaptive_last_modified('default', 't')",
      "CREATE TEMPORARY FUNCTION one() RETURNS INT RETURN 1"
    ).filter(parses).foreach(base.newSession().sql(_).collect())
    assert(known eq before)
    base.newSession().sql("INSERT INTO t VALUES (8, 8)")
    assert(known ne before)
  }

  /** Sentences about the readers that read other rows than a session that begins after the write; each reads
    * before it, and after each of two.
    */
  private def stale(partitions: String, write: Write, readers: Seq[Reader]): Seq[String] = {
    makeTables(partitions)
    val asked = readers.map { reader =>
      val ask = reader.prepare(base.newSession().asInstanceOf[Local])
      ask().collect()
      reader -> ask
    }
    (1 to 2).flatMap { _ =>
      write.run(base.newSession())
      val expected =
        readers.map(_.fresh).distinct.map(query => query -> rowsOf(base.newSession().sql(query))).toMap
      asked.flatMap { case (reader, ask) =>
        val found = rowsOf(ask())
        if (found != expected(reader.fresh))
          Some(s"${reader.name}: $found in place of ${expected(reader.fresh)}")
        else None
      }
    }
  }

  private def makeTables(partitions: String): Unit = {
    Seq("t", "u", "other").foreach(name => base.sql(s"DROP TABLE IF EXISTS $name"))
    base.sql(s"CREATE TABLE t USING parquet ${partitions}AS SELECT id, id % 3 p FROM range(20)")
    base.sql("CREATE TABLE other USING parquet AS SELECT id, id % 3 p FROM range(20)")
  }
}

private object FreshReadsSuite {
  private val InSubquery = "SELECT * FROM range(1) r LEFT JOIN (SELECT count(*) FROM t) ON true " +
    "WHERE EXISTS (SELECT 1 FROM t) OR r.id = 0"
  // Spark writes a table's size into its metadata with each write.
  private val Statistics = "DESCRIBE EXTENDED t"

  /** Rows that are written by a program. */
  private def rows(of: SparkSession) = of.range(7).selectExpr("id + 200 AS id", "id % 2 AS p")

  private def rowsOf(query: => DataFrame): String = Try(query.collect()) match {
    case Success(rows) => rows.map(_.toString).sorted.mkString(" ")
    case Failure(error) => error.toString.take(300)
  }

  private final case class Write(name: String, statements: Seq[String], run: SparkSession => Unit) {
    override def toString: String = name
  }

  private object Write {
    def apply(name: String)(statements: String*): Write =
      Write(name, statements, of => statements.foreach(of.sql(_).collect()))

    def by(name: String)(run: SparkSession => Unit): Write = Write(name, Nil, run)
  }

  /** A session that reads.
    *
    * @param fresh
    *   the query that asks the same in a session that begins now
    * @param prepare
    *   sets the session up before the write, and gives what it asks after it
    */
  private final case class Reader(
      name: String,
      fresh: String
  )(val prepare: Local => () => DataFrame)
}
