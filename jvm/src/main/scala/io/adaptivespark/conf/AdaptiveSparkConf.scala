package io.adaptivespark.conf

import java.util.Locale

import org.apache.spark.SparkConf
import org.apache.spark.sql.execution.adaptivespark.ConfRegistry
import org.apache.spark.sql.internal.SQLConf

/** Every conf key of the extension, in the order of the documentation. `configs.json` and
  * `docs/reference/configs.md` are generated from here.
  */
object AdaptiveSparkConf {
  val Namespace = "spark.sql.adaptiveFilter."
  val DynamicNamespace = "spark.sql.dynamicFilter."
  val StatisticsNamespace = "spark.sql.adaptiveStatistics."
  val MemoryNamespace = "spark.sql.adaptiveMemory."
  private val namespaces =
    Seq(Namespace, DynamicNamespace, StatisticsNamespace, MemoryNamespace).map(lowerCase)

  val Enabled: ConfKey[Boolean] = ConfKey(
    Namespace + "enabled",
    ConfType.boolean,
    default = "true",
    "Filters of two or more conjuncts change their order while the query runs. If false, Spark's own " +
      "filter runs, unchanged.",
    modelConfig = Some("adaptive_filter")
  )

  val CollectRate: ConfKey[Rate] = ConfKey(
    Namespace + "collectRate",
    ConfType.rate,
    default = "1000",
    "Sampling distance in rows: on average, one row in this many is evaluated by every conjunct and " +
      "timed (collectRate of arXiv 1905.01349). A smaller number learns sooner and costs more. auto " +
      "chooses the distance so that samples take 0.3 % of the task's time.",
    modelConfig = Some("collect_rate")
  )

  val CalculateRate: ConfKey[Rate] = ConfKey(
    Namespace + "calculateRate",
    ConfType.rate,
    default = "1000000",
    "Length of an epoch in rows of a task. After each epoch the ranks are calculated again " +
      "(calculateRate of arXiv 1905.01349). The first epoch has 32 samples and each next one twice as " +
      "many, up to this length, so that small inputs learn too. auto ends an epoch after 1,000 samples.",
    modelConfig = Some("calculate_rate")
  )

  val Momentum: ConfKey[Double] = ConfKey(
    Namespace + "momentum",
    ConfType.double(0.0, 1.0),
    default = "0.3",
    "Share of a conjunct's previous rank that its new rank keeps (momentum of arXiv 1905.01349). 0 " +
      "forgets the previous rank, 1 never changes it.",
    modelConfig = Some("momentum")
  )

  val Policy: ConfKey[String] = ConfKey(
    Namespace + "policy",
    ConfType.oneOf("rank", "conditional"),
    default = "rank",
    "How samples become an order. rank sorts conjuncts by the cost and selectivity of each one alone " +
      "(arXiv 1905.01349, §2.1). conditional looks at which conjuncts a sampled row passes together, so " +
      "that it sees conjuncts which imply each other; filters of more than 32 predicates are ordered by " +
      "rank.",
    modelConfig = Some("policy")
  )

  val InitialOrder: ConfKey[String] = ConfKey(
    Namespace + "initialOrder",
    ConfType.oneOf("learned", "written"),
    default = "learned",
    "Order of conjuncts before the query has measured anything. written is the order in the SQL. " +
      "learned is the first that is known of: what an earlier query with the same predicates learned, " +
      "column statistics (if spark.sql.cbo.enabled is true), the structure of nested AND and OR. A " +
      "FILTER_ORDER hint comes before either.",
    modelConfig = Some("initial_order")
  )

  val Errors: ConfKey[String] = ConfKey(
    Namespace + "errors",
    ConfType.oneOf("guarded", "exact"),
    default = "guarded",
    "Which conjuncts may pass one that may throw. guarded: a conjunct that may throw is evaluated only " +
      "on rows that passed every conjunct written before it, so no query fails that would not fail in its " +
      "written order; an error may disappear if another conjunct drops its row first. exact: no conjunct " +
      "passes one that may throw, so no filter makes an error disappear either.",
    modelConfig = Some("errors")
  )

  val Verbose: ConfKey[Boolean] = ConfKey(
    Namespace + "verbose",
    ConfType.boolean,
    default = "false",
    "Executors log each change of order with its ranks. The driver logs which filters it left to Spark, " +
      "and why."
  )

  val QueryTag: ConfKey[String] = ConfKey(
    Namespace + "queryTag",
    ConfType.text,
    default = "",
    "Label of the session's queries, shown by the table functions as query_tag. What filters and joins " +
      "learned is kept by this label. The dbt adapter sets it to the node's unique_id."
  )

  val RunId: ConfKey[String] = ConfKey(
    Namespace + "runId",
    ConfType.text,
    default = "",
    "Label of the run, shown by the table functions as run_id. The dbt adapter sets it to its " +
      "invocation id."
  )

  val DynamicEnabled: ConfKey[Boolean] = ConfKey(
    DynamicNamespace + "enabled",
    ConfType.boolean,
    default = "true",
    "The keys of one side of a join prune the scans of the other side. If false, Spark's own plans run, " +
      "unchanged, except where a DYNAMIC_FILTER hint asks for a filter.",
    modelConfig = Some("dynamic_filter")
  )

  val MaxRanges: ConfKey[Int] = ConfKey(
    DynamicNamespace + "maxRanges",
    ConfType.int(1, 4096),
    default = "1024",
    "Largest number of key ranges that one scan is given. Keys are split at the largest gaps between " +
      "them. A scan gets fewer ranges if they skip nearly as much, and 64 if even the largest number " +
      "skips little. A scan of files gets at most one range for each 256 KiB, or for each file if there " +
      "are more files, but may always have 64. A Delta table's scan has at most 16 in all."
  )

  val MaxBuildSize: ConfKey[Long] = ConfKey(
    DynamicNamespace + "maxBuildSize",
    ConfType.bytes,
    default = "256m",
    "Largest build side whose keys are read: the compressed bytes of a shuffle, or a broadcast's bytes " +
      "in memory. The join of a larger one runs without a dynamic filter."
  )

  val MinProbeSize: ConfKey[Long] = ConfKey(
    DynamicNamespace + "minProbeSize",
    ConfType.bytes,
    default = "4m",
    "Smallest scan that is filtered, in bytes of its files, its cached table or its source. Below it, " +
      "reading the keys takes longer than reading the data. If neither a shuffle nor another join lies " +
      "between a scan of Parquet or ORC and the join, only the columns that the scan reads count: each by " +
      "the width of its type, all together as at least an eighth of the files."
  )

  val DynamicVerbose: ConfKey[Boolean] = ConfKey(
    DynamicNamespace + "verbose",
    ConfType.boolean,
    default = "false",
    "The driver logs which joins filter nothing, and why. Row groups of Parquet files are counted, for " +
      "which each file is opened twice."
  )

  val Sample: ConfKey[Double] = ConfKey(
    StatisticsNamespace + "sample",
    ConfType.double(0.001, 1.0),
    default = "1.0",
    "Share of a table's rows that ANALYZE TABLE … FOR COLUMNS counts, chosen at random. Distinct values " +
      "are then estimated. A table is counted whole if the share leaves fewer than 10,000 rows. The dbt " +
      "adapter sets it from the option sample of analyze, and for large tables."
  )

  val RowCount: ConfKey[Long] = ConfKey(
    StatisticsNamespace + "rowCount",
    ConfType.long(0, Long.MaxValue),
    default = "0",
    "Rows of the table that the next ANALYZE TABLE … FOR COLUMNS samples; 0 if they are not known. This " +
      "number is stored instead of the sample's estimate. The dbt adapter sets it to the rows that a " +
      "model wrote."
  )

  val HistogramColumns: ConfKey[Option[Seq[String]]] = ConfKey(
    StatisticsNamespace + "histogramColumns",
    ConfType.names,
    default = "",
    "Columns for which ANALYZE TABLE … FOR COLUMNS makes histograms, as a JSON list; empty for all " +
      "columns. It has an effect only if spark.sql.statistics.histogram.enabled is true. The dbt adapter " +
      "sets it to the columns that filters compare with values."
  )

  val ShareAcrossUsers: ConfKey[Boolean] = ConfKey(
    MemoryNamespace + "shareAcrossUsers",
    ConfType.boolean,
    default = "false",
    "The table functions show the queries of all users, and filters and joins learn from all of them. Off: " +
      "users see, and learn from, only their own queries, by the name that a Thrift server has authenticated; " +
      "to Spark Connect all its clients are one user. For administrators: set it where Spark starts, such as in " +
      "spark-defaults.conf; SET refuses it."
  )

  val all: Seq[ConfKey[_]] =
    Seq(
      Enabled,
      CollectRate,
      CalculateRate,
      Momentum,
      Policy,
      InitialOrder,
      Errors,
      Verbose,
      QueryTag,
      RunId,
      DynamicEnabled,
      MaxRanges,
      MaxBuildSize,
      MinProbeSize,
      DynamicVerbose,
      Sample,
      RowCount,
      HistogramColumns,
      ShareAcrossUsers
    )

  /** Keys that a hint can set for the filters of one SELECT. */
  val ofFilter: Seq[ConfKey[_]] = Seq(CollectRate, CalculateRate, Momentum, Policy, InitialOrder, Errors)

  /** Rows of the table that is analyzed; none if they are not known. */
  def rowCount(conf: SQLConf): Option[BigInt] = Some(RowCount.in(conf)).filter(_ > 0).map(BigInt(_))

  // Spark writes registered keys into the properties of each view that is made. These differ in each run.
  private val ofOneRun = Seq(QueryTag, RunId)

  // Spark refuses to SET a static conf.
  private val ofStart = Seq(ShareAcrossUsers)

  /** The value that the application was started with: a session's own may be a client's. */
  def sharesAcrossUsers(conf: SparkConf): Boolean = ShareAcrossUsers.in(conf)

  /** Registers the keys with Spark, so that `SET` refuses a value that is not allowed. Keys that are
    * registered already stay.
    */
  def register(): Unit = synchronized {
    all.diff(ofOneRun).filterNot(key => ConfRegistry.contains(key.name)).foreach(registerOne(_))
  }

  /** Refuses a session with a key in our namespaces, in upper or lower case, that does not exist.
    *
    * @throws IllegalArgumentException
    *   with the key and all known ones
    */
  def refuseUnknownKeys(conf: SQLConf): Unit = {
    val known = all.map(_.name)
    val ours =
      conf.getAllConfs.keys.filter(key => namespaces.exists(lowerCase(key).startsWith))
    ours.filterNot(known.contains).foreach { key =>
      throw new IllegalArgumentException(
        s"$key is not a configuration of adaptive-spark. Known: ${known.mkString(", ")}. Remove it with: RESET $key"
      )
    }
  }

  private def lowerCase(key: String): String = key.toLowerCase(Locale.ROOT)

  private def registerOne(key: ConfKey[_]): Unit = {
    val build = if (ofStart.contains(key)) SQLConf.buildStaticConf _ else SQLConf.buildConf _
    build(key.name).doc(key.doc).version(Build.version)
      .stringConf.checkValue(key.allows, key.remedy).createWithDefault(key.default)
  }
}
