package io.adaptivespark.formats

/** Tables `t` of Delta Lake, one a feature of its log, and statements that change and read them. */
object DeltaTables {

  /** @param made
    *   the statement that makes the table, which a Delta Lake without the feature refuses
    * @param filled
    *   statements that give it rows and its peculiarity
    */
  final case class Kind(name: String, made: String, filled: Seq[String])

  private val Columns = "id BIGINT, i INT, j INT, w STRING, d DECIMAL(9, 2), t DATE, p INT, f DOUBLE"
  private val Names = "id, i, j, w, d, t, p, f"
  private def namesOf(table: String): String = Names.split(", ").map(name => s"$table.$name").mkString(", ")

  private val DeletionVectors = "'delta.enableDeletionVectors' = 'true'"
  private val ByName = "'delta.columnMapping.mode' = 'name'"

  private def made(rest: String, properties: String*): String = s"CREATE TABLE t ($Columns$rest" +
    (if (properties.isEmpty) "" else properties.mkString(" TBLPROPERTIES (", ", ", ")"))

  /** Rows of the numbers from `from` on, with nulls, NaN and −0.0. */
  private def rows(from: Int, to: Int): String = {
    val v = "cast(hash(id) % 100 as int)"
    s"""SELECT id, if(id % 7 = 0, null, $v) AS i, cast(id % 50 as int) AS j,
       |  if(id % 23 = 0, null, concat('k', abs($v))) AS w, if(id % 5 = 0, null, cast($v / 4 as decimal(9, 2))) AS d,
       |  date_add(DATE '2020-01-01', $v) AS t, cast(id % 4 as int) AS p,
       |  if(id % 29 = 0, double('NaN'), if(id % 31 = 0, -0.0D, cast($v as double))) AS f
       |FROM range($from, $to, 1, 1)""".stripMargin
  }

  private def insert(from: Int, to: Int): String = s"INSERT INTO t ($Names) ${rows(from, to)}"

  private val filled = Seq(insert(0, 200), insert(200, 400))

  // Each name has held other values before, so that statistics and columns in files bear other names.
  private val renamed = Seq(
    "ALTER TABLE t RENAME COLUMN i TO swapped",
    "ALTER TABLE t RENAME COLUMN j TO i",
    "ALTER TABLE t RENAME COLUMN swapped TO j",
    insert(400, 500),
    "ALTER TABLE t DROP COLUMN d",
    "ALTER TABLE t ADD COLUMN d DECIMAL(9, 2)",
    insert(500, 600)
  )

  // The first is tried with each change.
  val Kinds: Seq[Kind] = Seq(
    Kind(
      "deletion vectors and renamed columns",
      made(") USING delta PARTITIONED BY (p)", DeletionVectors, ByName),
      filled ++ Seq("DELETE FROM t WHERE id % 9 = 2 AND i > 0") ++ renamed
    ),
    Kind("neither", made(") USING delta", "'delta.enableDeletionVectors' = 'false'"), filled),
    Kind("deletion vectors", made(") USING delta", DeletionVectors), filled),
    Kind("partitions", made(") USING delta PARTITIONED BY (p)"), filled),
    Kind("columns mapped by name", made(") USING delta", ByName), filled ++ renamed),
    Kind(
      "columns mapped by id",
      made(") USING delta", "'delta.columnMapping.mode' = 'id'"),
      filled ++ renamed
    ),
    Kind("clusters", made(") USING delta CLUSTER BY (i, t)"), filled :+ "OPTIMIZE t"),
    Kind(
      "generated columns",
      made(
        ", g INT GENERATED ALWAYS AS (p * 10), m DATE GENERATED ALWAYS AS (trunc(t, 'MM'))) USING delta PARTITIONED BY (m)"
      ),
      filled
    ),
    Kind("an identity column", made(", n BIGINT GENERATED ALWAYS AS IDENTITY) USING delta"), filled),
    Kind("a change data feed", made(") USING delta", "'delta.enableChangeDataFeed' = 'true'"), filled),
    Kind("row tracking", made(") USING delta", "'delta.enableRowTracking' = 'true'"), filled),
    Kind("checkpoints of version 2", made(") USING delta", "'delta.checkpointPolicy' = 'v2'"), filled),
    Kind(
      "widened types",
      made(") USING delta", "'delta.enableTypeWidening' = 'true'"),
      filled ++
        Seq("ALTER TABLE t ALTER COLUMN i TYPE BIGINT", "ALTER TABLE t ALTER COLUMN d TYPE DECIMAL(20, 4)") :+
        insert(400, 500)
    ),
    Kind(
      "constraints and defaults",
      made(
        ", s STRING DEFAULT 'new') USING delta",
        "'delta.feature.allowColumnDefaults' = 'supported'",
        "'delta.constraints.plain' = 'id >= 0 AND p < 1000'"
      ),
      filled :+ "INSERT INTO t (id, p) VALUES (1000, 1000)"
    )
  )

  /** Tables that statements join `t` with. */
  val Others: Seq[String] = Seq(
    "CREATE TABLE k USING delta AS SELECT cast(id * 3 as int) AS i, cast(id % 4 as int) AS dep FROM range(0, 20, 1, 1)",
    s"""CREATE TABLE src USING delta AS SELECT *, if(id % 3 = 0, 'd', 'u') AS op FROM (${rows(150, 450)})
       |  WHERE id % 6 < 4""".stripMargin
  )

  /** Changes of `t`, some of which fail: those of `make test` first. */
  val Changes: Seq[String] = Seq(
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
    s"INSERT INTO t ($Names) SELECT ${namesOf("t")} FROM t JOIN k ON t.i = k.i WHERE k.dep = 3 AND t.j > 3",
    "UPDATE t SET p = (SELECT max(dep) FROM k) WHERE i > 5",
    "RESTORE TABLE t TO VERSION AS OF 2",
    "DELETE FROM t WHERE p = 2"
  )

  /** Queries of `t` and of its earlier versions. */
  val Readers: Seq[String] = Seq(
    "SELECT * FROM t WHERE i > -20 AND w LIKE 'k%1%' AND (f < 70 OR d IS NULL)",
    "SELECT /*+ DYNAMIC_FILTER(t) */ t.*, k.dep FROM t JOIN k ON t.i = k.i WHERE k.dep = 3",
    "SELECT /*+ DYNAMIC_FILTER(t) */ count(*), max(t.w) FROM t JOIN k ON t.p = k.dep WHERE k.i = 9",
    "SELECT count(*), sum(i) FROM t WHERE id IN (SELECT id FROM src WHERE op = 'd' AND j > 10)",
    "SELECT p, count(*), max(_metadata.file_name) IS NULL FROM t WHERE _metadata.file_size > 1 AND w LIKE 'k%' GROUP BY p",
    "SELECT t.* FROM t VERSION AS OF 2 AS t JOIN k ON t.i = k.i WHERE k.dep = 2 AND w LIKE 'k%'",
    "SELECT _change_type, _commit_version, c.id FROM table_changes('t', 1) c JOIN k ON c.i = k.i WHERE k.dep = 1"
  )
}
