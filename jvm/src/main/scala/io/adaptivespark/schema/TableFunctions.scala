package io.adaptivespark.schema

/** Every column of the table functions that have more than one, in the order of the documentation.
  *
  * Rows are built by these names. `columns.json`, from which the dbt adapter reads them, and
  * `docs/reference/columns.md` are generated from here.
  */
object TableFunctions {
  private val labels = Seq(
    Column("query", "query_id", "BIGINT", "Spark's id of the query; null outside of one"),
    Column(
      "query",
      "query_tag",
      "STRING",
      "the conf `spark.sql.adaptiveFilter.queryTag`; under dbt, the node"
    ),
    Column(
      "query",
      "run_id",
      "STRING",
      "the conf `spark.sql.adaptiveFilter.runId`; under dbt, the invocation"
    )
  )

  val FilterStats: TableSchema = TableSchema(
    "adaptive_filter_stats",
    "",
    "a conjunct of a filter. A task that Spark runs twice counts once.",
    labels ++ Seq(
      Column("filter", "filter_id", "BIGINT", "the filter; its conjuncts are rows with the same id"),
      Column("conjunct", "predicate", "STRING", "the conjunct"),
      Column("conjunct", "written_position", "INT", "its place in the SQL, from 0"),
      Column("conjunct", "final_position", "INT", "its last place, from 0"),
      Column("conjunct", "rows_monitored", "BIGINT", "rows on which it was sampled"),
      Column(
        "conjunct",
        "selectivity",
        "DOUBLE",
        "share of the sampled rows for which it was true; null if there are none"
      ),
      Column("conjunct", "cost_ns", "DOUBLE", "its cost in nanoseconds a row; null if no row was sampled"),
      Column("filter", "reorderings", "BIGINT", "changes of the filter's order during the query"),
      Column("filter", "rows_in", "BIGINT", "rows that came into the filter"),
      Column("filter", "rows_out", "BIGINT", "rows that left it"),
      Column(
        "conjunct",
        "may_throw",
        "BOOLEAN",
        "true if it may raise an error; it then waits for those written before it"
      ),
      Column("conjunct", "shape", "STRING", "the predicate without its constants"),
      Column(
        "conjunct",
        "branch",
        "STRING",
        "the `AND` and `OR` above it, outermost first, such as `OR 1 / AND 2`; null for a conjunct of the whole condition"
      )
    )
  )

  val DynamicFilterStats: TableSchema = TableSchema(
    "dynamic_filter_stats",
    "",
    "a dynamic filter; or a join that could have had one and got none, with the first reason; or a hint that was " +
      "refused. Filters of one scan repeat its numbers (rows, bytes, `kept`, `wait_ms`): do not add them up.",
    labels ++ Seq(
      Column("scan", "scan", "STRING", "the table or directory that is filtered"),
      Column("filter", "probe_key", "STRING", "the filtered side of the join's equality"),
      Column(
        "filter",
        "build_key",
        "STRING",
        "the other side; it may belong to a join within the build side"
      ),
      Column(
        "filter",
        "build_rows",
        "BIGINT",
        "rows with a key that is not null; of a broadcast by one integer, distinct keys"
      ),
      Column("filter", "build_keys", "BIGINT", "distinct keys, if they are few enough to count"),
      Column("filter", "kind", "STRING", "`empty`, `values` or `ranges`"),
      Column(
        "filter",
        "ranges",
        "INT",
        "ranges that the scan was given; 0 if nothing is read, or if only rows are tested"
      ),
      Column(
        "filter",
        "row_test",
        "STRING",
        "how rows are tested: `bitmap`, `set` or `bloom`; null if they are not"
      ),
      Column(
        "scan",
        "rows_total",
        "BIGINT",
        "rows of the scan's files, estimated from the largest, or of the cached table; null if unknown"
      ),
      Column("scan", "rows_read", "BIGINT", "rows that were read"),
      Column(
        "scan",
        "kept",
        "DOUBLE",
        "share of all rows that was left after rows were tested, by the first 20,000 rows of each task; null if " +
          "`rows_total` is"
      ),
      Column("scan", "bytes_total", "BIGINT", "bytes of the files"),
      Column("scan", "bytes_read", "BIGINT", "bytes that were read"),
      Column(
        "scan",
        "files",
        "BIGINT",
        "files that the query's own conditions leave; null if unknown, or if Spark leaves out some while it runs"
      ),
      Column("scan", "files_read", "BIGINT", "those of them that were read; null likewise"),
      Column("scan", "row_groups", "BIGINT", "of Parquet files, only with `spark.sql.dynamicFilter.verbose`"),
      Column("scan", "row_groups_read", "BIGINT", "those of them that were read"),
      Column(
        "scan",
        "wait_ms",
        "BIGINT",
        "time to read the keys and prepare the scan after the build side was finished; without adaptive execution, " +
          "also the wait for the build side"
      ),
      Column("filter", "verdict", "STRING", "`filtered`, or the reason why not, in words"),
      Column("filter", "verdict_code", "STRING", "the same [for programs](dynamic-filters.md#verdicts)"),
      Column(
        "filter",
        "verdict_figures",
        "MAP<STRING, DOUBLE>",
        "numbers in the verdict, by name: `build_bytes`, `scan_bytes`, `limit_bytes`, `kept`; null if there are none"
      ),
      Column(
        "filter",
        "signature",
        "STRING",
        "by what the filter is recognized in later queries, in any schema"
      )
    )
  )

  val PlanStats: TableSchema = TableSchema(
    "adaptive_plan_stats",
    "",
    "something that adaptive execution changed",
    labels ++ Seq(
      Column("change", "kind", "STRING", "`coalesced`, `split`, `join` or `rows`"),
      Column("change", "stage", "INT", "the stage's number in the query's plan"),
      Column("change", "node", "STRING", "the operator"),
      Column("change", "tables", "STRING", "the tables that the stage read"),
      Column(
        "change",
        "planned",
        "STRING",
        "before: the partitions of a shuffle (`coalesced`), its skewed partitions (`split`), the operator (`join`), or " +
          "the rows that a stage was expected to have (`rows`)"
      ),
      Column("change", "actual", "STRING", "the same, as it ran"),
      Column(
        "change",
        "statistics",
        "STRING",
        "of `rows`: the tables whose statistics may mend the estimate, because they lack some or theirs are out of date; " +
          "empty if there are none, such as above a limit, a window or a condition that Spark does not estimate"
      )
    )
  )

  val QueryStats: TableSchema = TableSchema(
    "adaptive_query_stats",
    "",
    "a query that ran a job",
    labels ++ Seq(
      Column(
        "query",
        "rows_written",
        "BIGINT",
        "rows that it wrote; null if it was not to write any, or if Spark dropped events of it"
      ),
      Column("query", "bytes_written", "BIGINT", "bytes that it wrote; null where `rows_written` is")
    )
  )

  val Catalog: TableSchema = TableSchema(
    "adaptive_catalog",
    "schema[, table]",
    "a column of a table or view in Spark's session catalog, by a few requests to the metastore, however many tables there are",
    Seq(
      Column("table", "table_schema", "STRING", "the table's schema"),
      Column("table", "table_name", "STRING", "its name"),
      Column("table", "table_type", "STRING", "`table` or `view`"),
      Column("table", "provider", "STRING", "its format, in lower case"),
      Column("table", "table_owner", "STRING", "its owner"),
      Column("table", "table_comment", "STRING", "its comment"),
      Column("table", "size_in_bytes", "DECIMAL(38, 0)", "bytes of its files, from `ANALYZE`"),
      Column("table", "row_count", "DECIMAL(38, 0)", "its rows, from `ANALYZE`"),
      Column(
        "table",
        "row_count_sample",
        "DOUBLE",
        "share of the rows that `row_count` was estimated from; null if it was counted"
      ),
      Column(
        "column",
        "column_index",
        "INT",
        "the column's place, from 0; null for a table that keeps its columns outside of the metastore"
      ),
      Column("column", "column_name", "STRING", "its name"),
      Column("column", "column_type", "STRING", "its type"),
      Column("column", "column_comment", "STRING", "its comment"),
      Column("column", "distinct_count", "DECIMAL(38, 0)", "distinct values, from `ANALYZE`"),
      Column("column", "null_count", "DECIMAL(38, 0)", "nulls"),
      Column("column", "min", "STRING", "lowest value"),
      Column("column", "max", "STRING", "highest value"),
      Column("column", "has_histogram", "BOOLEAN", "true if there is a histogram"),
      Column("column", "sample", "DOUBLE", "share of the rows that its statistics come from; null for all")
    )
  )

  val LastModified: TableSchema = TableSchema(
    "adaptive_last_modified",
    "schema, table",
    "when the data of a table last changed; there is one",
    Seq(
      Column(
        "table",
        "last_modified_ms",
        "BIGINT",
        "in milliseconds since 1970; null for views and tables without files"
      ),
      Column(
        "table",
        "table_exists",
        "BOOLEAN",
        "null if the session's current catalog is not Spark's session catalog"
      )
    )
  )

  val all: Seq[TableSchema] =
    Seq(FilterStats, DynamicFilterStats, PlanStats, QueryStats, Catalog, LastModified)
}
