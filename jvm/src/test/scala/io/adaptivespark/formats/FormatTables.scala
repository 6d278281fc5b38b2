package io.adaptivespark.formats

/** Tables `t` of a format, one a feature of it, and statements that change and read them; `DB` in them is the database
  * with its catalog.
  *
  * @param format
  *   the name after USING
  */
abstract class FormatTables(val format: String) {
  import FormatTables._

  /** The kinds of table; the first is tried with each change. */
  def kinds: Seq[Kind]

  /** Changes of `t`, some of which fail: those of `make test` first. */
  def changes: Seq[String]

  /** Queries of `t` and of its earlier versions. */
  def readers: Seq[String]

  /** A query of the versions of `t`, in order. */
  def versions: String

  /** Its columns that say what each version did, the last a map of figures. */
  def versionColumns: Seq[String]

  /** Tables that statements join `t` with. */
  def others: Map[String, String] = Map(
    "k" -> "SELECT cast(id * 3 as int) AS i, cast(id % 4 as int) AS dep FROM range(0, 20, 1, 1)",
    "src" -> s"SELECT *, if(id % 3 = 0, 'd', 'u') AS op FROM (${rows(150, 450)}) WHERE id % 6 < 4"
  )

  protected val filled: Seq[String] = Seq(insert(0, 200), insert(200, 400))

  // Each name has held other values before, so that statistics and columns in files bear other names.
  protected val renamed: Seq[String] = Seq(
    "ALTER TABLE t RENAME COLUMN i TO swapped",
    "ALTER TABLE t RENAME COLUMN j TO i",
    "ALTER TABLE t RENAME COLUMN swapped TO j",
    insert(400, 500),
    "ALTER TABLE t DROP COLUMN d",
    "ALTER TABLE t ADD COLUMN d DECIMAL(9, 2)",
    insert(500, 600)
  )

  protected def made(rest: String, properties: String*): String = s"CREATE TABLE t ($Columns$rest" +
    (if (properties.isEmpty) "" else properties.mkString(" TBLPROPERTIES (", ", ", ")"))

  /** Changes that any format with MERGE has. */
  protected val commonChanges: Seq[String] = Seq(
    "UPDATE t SET i = i + 1, w = concat(w, 'x') WHERE w LIKE 'k1%' AND i > -50 AND p <> 3",
    "DELETE FROM t WHERE j BETWEEN 10 AND 40 AND w LIKE '%5%' AND id % 3 = 1",
    s"""MERGE INTO t USING src ON t.id = src.id AND src.j > 5
       |WHEN MATCHED AND src.op = 'd' THEN DELETE
       |WHEN MATCHED AND t.i < 90 THEN UPDATE SET i = src.i, w = src.w, f = src.f
       |WHEN NOT MATCHED THEN INSERT ($Names) VALUES (${namesOf("src")})""".stripMargin,
    """MERGE INTO t USING (SELECT * FROM src WHERE op = 'u') s ON t.id = s.id
      |WHEN NOT MATCHED BY SOURCE AND t.i > 60 AND t.w LIKE 'k%' THEN DELETE
      |WHEN NOT MATCHED BY SOURCE AND t.i < -60 THEN UPDATE SET p = 9""".stripMargin,
    "MERGE INTO t USING (SELECT * FROM src UNION ALL SELECT * FROM src) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET j = s.i",
    "DELETE FROM t WHERE i IN (SELECT i FROM k WHERE dep = 1)",
    "MERGE INTO t USING src ON t.i = src.i AND t.p = src.p WHEN MATCHED AND src.j > t.j THEN UPDATE SET i = src.i + 1",
    s"""MERGE INTO t USING (SELECT s.* FROM src s JOIN k ON s.i = k.i WHERE k.dep = 2) s ON t.id = s.id
       |WHEN NOT MATCHED THEN INSERT ($Names) VALUES (${namesOf("s")})""".stripMargin,
    // in order, since the numbers of an identity column are given in the order of the rows
    s"""INSERT INTO t ($Names) SELECT ${namesOf("t")} FROM t JOIN k ON t.i = k.i WHERE k.dep = 3 AND t.j > 3
       |ORDER BY ${namesOf("t")}""".stripMargin,
    "UPDATE t SET p = (SELECT max(dep) FROM k) WHERE i > 5",
    "DELETE FROM t WHERE p = 2"
  )

  protected val commonReaders: Seq[String] = Seq(
    "SELECT * FROM t WHERE i > -20 AND w LIKE 'k%1%' AND (f < 70 OR d IS NULL)",
    "SELECT /*+ DYNAMIC_FILTER(t) */ t.*, k.dep FROM t JOIN k ON t.i = k.i WHERE k.dep = 3",
    "SELECT /*+ DYNAMIC_FILTER(t) */ count(*), max(t.w) FROM t JOIN k ON t.p = k.dep WHERE k.i = 9",
    "SELECT count(*), sum(i) FROM t WHERE id IN (SELECT id FROM src WHERE op = 'd' AND j > 10)"
  )
}

object FormatTables {

  /** @param made
    *   the statement that makes the table, which a release without the feature refuses
    * @param filled
    *   statements that give it rows and its peculiarity
    * @param refused
    *   one that it refuses then
    */
  final case class Kind(name: String, made: String, filled: Seq[String], refused: Option[String] = None)

  private val Columns = "id BIGINT, i INT, j INT, w STRING, d DECIMAL(9, 2), t DATE, p INT, f DOUBLE"
  private val Names = "id, i, j, w, d, t, p, f"
  private def namesOf(table: String): String = Names.split(", ").map(name => s"$table.$name").mkString(", ")

  /** Rows of the numbers from `from` on, with nulls, NaN and −0.0. */
  private def rows(from: Int, to: Int): String = {
    val v = "cast(hash(id) % 100 as int)"
    s"""SELECT id, if(id % 7 = 0, null, $v) AS i, cast(id % 50 as int) AS j,
       |  if(id % 23 = 0, null, concat('k', abs($v))) AS w, if(id % 5 = 0, null, cast($v / 4 as decimal(9, 2))) AS d,
       |  date_add(DATE '2020-01-01', $v) AS t, cast(id % 4 as int) AS p,
       |  if(id % 29 = 0, double('NaN'), if(id % 31 = 0, -0.0D, cast($v as double))) AS f
       |FROM range($from, $to, 1, 1)""".stripMargin
  }

  def insert(from: Int, to: Int, into: String = "t"): String =
    s"INSERT INTO $into ($Names) ${rows(from, to)}"
}
