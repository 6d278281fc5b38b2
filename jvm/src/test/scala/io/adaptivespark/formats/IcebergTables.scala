package io.adaptivespark.formats

import io.adaptivespark.formats.FormatTables.{insert, Kind}

/** Tables of Iceberg, one a feature of it. */
object IcebergTables extends FormatTables("iceberg") {
  private val MergeOnRead =
    Seq("delete", "update", "merge").map(each => s"'write.$each.mode' = 'merge-on-read'")
  private val Version3 = "'format-version' = '3'"

  private val tagged = "ALTER TABLE t CREATE TAG filled"

  override val kinds: Seq[Kind] = Seq(
    Kind(
      "position deletes and renamed columns",
      made(") USING iceberg PARTITIONED BY (p)", MergeOnRead: _*),
      filled ++ Seq("DELETE FROM t WHERE id % 9 = 2 AND i > 0", tagged) ++ renamed
    ),
    Kind("copy on write", made(") USING iceberg"), filled :+ tagged),
    Kind("position deletes", made(") USING iceberg", MergeOnRead: _*), filled :+ tagged),
    Kind(
      "equality deletes",
      made(") USING iceberg", MergeOnRead: _*),
      filled ++ Seq(EqualityDeletes.statement("DB.t", "id", 0L until 400 by 7), tagged)
    ),
    Kind("deletion vectors", made(") USING iceberg", Version3 +: MergeOnRead: _*), filled :+ tagged),
    Kind("row lineage", made(") USING iceberg PARTITIONED BY (p)", Version3), filled :+ tagged),
    Kind("partitions by month", made(") USING iceberg PARTITIONED BY (months(t))"), filled :+ tagged),
    Kind(
      "partitions by bucket and prefix",
      made(") USING iceberg PARTITIONED BY (bucket(4, id), truncate(2, w))"),
      filled :+ tagged
    ),
    Kind(
      "other partitions than before",
      made(") USING iceberg PARTITIONED BY (p)"),
      filled ++ Seq(
        tagged,
        "ALTER TABLE t ADD PARTITION FIELD bucket(3, i)",
        insert(400, 500),
        "ALTER TABLE t DROP PARTITION FIELD p",
        insert(500, 600)
      )
    ),
    Kind("files of ORC", made(") USING iceberg", "'write.format.default' = 'orc'"), filled :+ tagged),
    Kind(
      "widened types",
      made(") USING iceberg"),
      filled ++ Seq(
        tagged,
        "ALTER TABLE t ALTER COLUMN i TYPE BIGINT",
        "ALTER TABLE t ALTER COLUMN d TYPE DECIMAL(20, 2)",
        insert(400, 500)
      )
    ),
    Kind(
      "a branch",
      made(") USING iceberg", MergeOnRead: _*),
      filled ++ Seq(
        tagged,
        "ALTER TABLE t CREATE BRANCH audit",
        insert(400, 500, into = "DB.t.branch_audit"),
        "DELETE FROM DB.t.branch_audit WHERE id % 5 = 1 AND w LIKE 'k%'",
        "INSERT INTO t SELECT * FROM t VERSION AS OF 'audit' WHERE id > 450 AND i > 0"
      )
    ),
    Kind(
      "an order of rows",
      made(") USING iceberg"),
      "ALTER TABLE t WRITE ORDERED BY i, t" +: filled :+ tagged
    )
  )

  override val changes: Seq[String] = commonChanges

  override val readers: Seq[String] = commonReaders ++ Seq(
    "SELECT p, count(*), max(_file) IS NULL, max(_pos) >= 0 FROM t WHERE _pos >= 0 AND w LIKE 'k%' GROUP BY p",
    "SELECT t.* FROM t VERSION AS OF 'filled' AS t JOIN k ON t.i = k.i WHERE k.dep = 2 AND w LIKE 'k%'"
  )

  override def versions: String = "SELECT * FROM DB.t.snapshots ORDER BY committed_at"

  override def versionColumns: Seq[String] = Seq("operation", "summary")
}
