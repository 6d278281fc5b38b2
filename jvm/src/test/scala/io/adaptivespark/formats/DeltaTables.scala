package io.adaptivespark.formats

import io.adaptivespark.formats.FormatTables.{insert, Kind}

/** Tables of Delta Lake, one a feature of its log. */
object DeltaTables extends FormatTables("delta") {
  private val DeletionVectors = "'delta.enableDeletionVectors' = 'true'"
  private val ByName = "'delta.columnMapping.mode' = 'name'"

  override val kinds: Seq[Kind] = Seq(
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
      filled,
      refused = Some("INSERT INTO t (id, p) VALUES (1000, 1000)")
    )
  )

  override val changes: Seq[String] = commonChanges.patch(10, Seq("RESTORE TABLE t TO VERSION AS OF 2"), 0)

  override val readers: Seq[String] = commonReaders ++ Seq(
    "SELECT p, count(*), max(_metadata.file_name) IS NULL FROM t WHERE _metadata.file_size > 1 AND w LIKE 'k%' GROUP BY p",
    "SELECT t.* FROM t VERSION AS OF 2 AS t JOIN k ON t.i = k.i WHERE k.dep = 2 AND w LIKE 'k%'",
    "SELECT _change_type, _commit_version, c.id FROM table_changes('t', 1) c JOIN k ON c.i = k.i WHERE k.dep = 1"
  )

  override def versions: String = "DESCRIBE HISTORY t"

  override def versionColumns: Seq[String] = Seq("version", "operation", "operationMetrics")
}
