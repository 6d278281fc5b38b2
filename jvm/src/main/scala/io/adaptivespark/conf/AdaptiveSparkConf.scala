package io.adaptivespark.conf

import java.util.Locale

import org.apache.spark.sql.execution.adaptivespark.ConfRegistry
import org.apache.spark.sql.internal.SQLConf

/** Every key of the extension, in the order of the documentation. `docs/reference/configs.md` and `configs.json` are generated from here. */
object AdaptiveSparkConf {
  val Namespace = "spark.sql.adaptiveFilter."
  val DynamicNamespace = "spark.sql.dynamicFilter."
  val StatisticsNamespace = "spark.sql.adaptiveStatistics."
  private val namespaces = Seq(Namespace, DynamicNamespace, StatisticsNamespace).map(lowerCase)

  val Enabled: ConfKey[Boolean] = ConfKey(
    Namespace + "enabled",
    "boolean",
    default = true,
    "Filters of two or more conjuncts change their order while the query runs. If false, Spark's own " +
      "filter runs, unchanged.",
    modelConfig = Some("adaptive_filter")
  )(_.toBoolean)

  val CollectRate: ConfKey[Rate] = ConfKey(
    Namespace + "collectRate",
    "rate",
    default = Rate(Some(1000)),
    "Sampling distance in rows: on average, one row in this many is evaluated by every conjunct and " +
      "timed (collectRate of arXiv 1905.01349). A smaller number learns sooner and costs more. auto " +
      "chooses the distance so that samples take 0.3 % of the task's time.",
    min = Some(Rate(Some(1))),
    max = Some(Rate(Some(Int.MaxValue))),
    modelConfig = Some("collect_rate")
  )(Rate.parse)

  val CalculateRate: ConfKey[Rate] = ConfKey(
    Namespace + "calculateRate",
    "rate",
    default = Rate(Some(1000000)),
    "Length of an epoch in rows of a task. After each epoch the ranks are calculated again " +
      "(calculateRate of arXiv 1905.01349). The first epoch has 32 samples and each next one twice as " +
      "many, up to this length, so that small inputs learn too. auto ends an epoch after 1,000 samples.",
    min = Some(Rate(Some(1))),
    max = Some(Rate(Some(Int.MaxValue))),
    modelConfig = Some("calculate_rate")
  )(Rate.parse)

  val Momentum: ConfKey[Double] = ConfKey(
    Namespace + "momentum",
    "double",
    default = 0.3,
    "Share of a conjunct's previous rank that its new rank keeps (momentum of arXiv 1905.01349). 0 " +
      "forgets the previous rank, 1 never changes it.",
    min = Some(0.0),
    max = Some(1.0),
    modelConfig = Some("momentum")
  )(_.toDouble)

  val Policy: ConfKey[String] = ConfKey(
    Namespace + "policy",
    "enum",
    default = "rank",
    "How samples become an order. rank sorts conjuncts by the cost and selectivity of each one alone " +
      "(arXiv 1905.01349, §2.1). conditional looks at which conjuncts a sampled row passes together, so " +
      "that it sees conjuncts which imply each other; filters of more than 32 predicates are ordered by " +
      "rank.",
    values = Seq("rank", "conditional"),
    modelConfig = Some("policy")
  )(identity)

  val InitialOrder: ConfKey[String] = ConfKey(
    Namespace + "initialOrder",
    "enum",
    default = "learned",
    "Order of conjuncts before the query has measured anything. written is the order in the SQL. " +
      "learned is the first that is known of: what an earlier query with the same predicates learned, " +
      "column statistics (if spark.sql.cbo.enabled is true), the structure of nested AND and OR. A " +
      "FILTER_ORDER hint comes before either.",
    values = Seq("learned", "written"),
    modelConfig = Some("initial_order")
  )(identity)

  val Errors: ConfKey[String] = ConfKey(
    Namespace + "errors",
    "enum",
    default = "guarded",
    "Which conjuncts may pass one that may throw. guarded: a conjunct that may throw is evaluated only " +
      "on rows that passed every conjunct written before it, so no query fails that would not fail in its " +
      "written order; an error may disappear if another conjunct drops its row first. exact: no conjunct " +
      "passes one that may throw, so no filter makes an error disappear either.",
    values = Seq("guarded", "exact"),
    modelConfig = Some("errors")
  )(identity)

  val Verbose: ConfKey[Boolean] = ConfKey(
    Namespace + "verbose",
    "boolean",
    default = false,
    "Executors log each change of order with its ranks. The driver logs which filters it left to Spark, " +
      "and why."
  )(_.toBoolean)

  val QueryTag: ConfKey[String] = ConfKey(
    Namespace + "queryTag",
    "string",
    default = "",
    "Label of the session's queries, shown by the table functions as query_tag. What filters and joins " +
      "learned is kept by this label. The dbt adapter sets it to the node's unique_id."
  )(identity)

  val RunId: ConfKey[String] = ConfKey(
    Namespace + "runId",
    "string",
    default = "",
    "Label of the run, shown by the table functions as run_id. The dbt adapter sets it to its " +
      "invocation id."
  )(identity)

  val Prior: ConfKey[String] = ConfKey(
    Namespace + "prior",
    "string",
    default = "",
    "What earlier runs learned, as JSON. For each shape of a predicate: the rows monitored, the rows " +
      "passed, the nanoseconds taken. For each signature of a dynamic filter: the rows kept of 1,000. The " +
      "dbt adapter sets it for each node."
  )(identity)

  val DynamicEnabled: ConfKey[Boolean] = ConfKey(
    DynamicNamespace + "enabled",
    "boolean",
    default = true,
    "The keys of one side of a join prune the scans of the other side. If false, Spark's own plans run, " +
      "unchanged, except where a DYNAMIC_FILTER hint asks for a filter.",
    modelConfig = Some("dynamic_filter")
  )(_.toBoolean)

  val MaxRanges: ConfKey[Int] = ConfKey(
    DynamicNamespace + "maxRanges",
    "int",
    default = 1024,
    "Largest number of key ranges that one scan is given. Keys are split at the largest gaps between " +
      "them. A scan gets fewer ranges if they skip nearly as much, and 64 if even the largest number " +
      "skips little. A scan of files gets at most one range for each 256 KiB, or for each file if there " +
      "are more files, but may always have 64.",
    min = Some(1),
    max = Some(4096)
  )(_.toInt)

  val MaxBuildSize: ConfKey[Size] = ConfKey(
    DynamicNamespace + "maxBuildSize",
    "size",
    default = Size.parse("256m"),
    "Largest build side whose keys are read: the compressed bytes of a shuffle, or a broadcast's bytes " +
      "in memory. The join of a larger one runs without a dynamic filter."
  )(Size.parse)

  val MinProbeSize: ConfKey[Size] = ConfKey(
    DynamicNamespace + "minProbeSize",
    "size",
    default = Size.parse("4m"),
    "Smallest scan that is filtered, in bytes of its files, its cached table or its source. Below it, " +
      "reading the keys takes longer than reading the data. If neither a shuffle nor another join lies " +
      "between a scan of Parquet or ORC and the join, only the columns that the scan reads count: each by " +
      "the width of its type, all together as at least an eighth of the files."
  )(Size.parse)

  val DynamicVerbose: ConfKey[Boolean] = ConfKey(
    DynamicNamespace + "verbose",
    "boolean",
    default = false,
    "The driver logs which joins filter nothing, and why. Row groups of Parquet files are counted, for " +
      "which each file is opened twice."
  )(_.toBoolean)

  val Sample: ConfKey[Double] = ConfKey(
    StatisticsNamespace + "sample",
    "double",
    default = 1.0,
    "Share of a table's rows that ANALYZE TABLE … FOR COLUMNS counts, chosen at random. Distinct values " +
      "are then estimated. A table is counted whole if the share leaves fewer than 10,000 rows. The dbt " +
      "adapter sets it from the option sample of analyze, and for large tables.",
    min = Some(0.001),
    max = Some(1.0)
  )(_.toDouble)

  val RowCount: ConfKey[Long] = ConfKey(
    StatisticsNamespace + "rowCount",
    "int",
    default = 0L,
    "Rows of the table that the next ANALYZE TABLE … FOR COLUMNS samples; 0 if they are not known. This " +
      "number is stored instead of the sample's estimate. The dbt adapter sets it to the rows that a " +
      "model wrote.",
    min = Some(0L),
    max = Some(Long.MaxValue)
  )(_.toLong)

  val HistogramColumns: ConfKey[Names] = ConfKey(
    StatisticsNamespace + "histogramColumns",
    "names",
    default = Names.parse(""),
    "Columns for which ANALYZE TABLE … FOR COLUMNS makes histograms, as a JSON list; empty for all " +
      "columns. It has an effect only if spark.sql.statistics.histogram.enabled is true. The dbt adapter " +
      "sets it to the columns that filters compare with values."
  )(Names.parse)

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
      Prior,
      DynamicEnabled,
      MaxRanges,
      MaxBuildSize,
      MinProbeSize,
      DynamicVerbose,
      Sample,
      RowCount,
      HistogramColumns
    )

  /** The keys that a single filter may have another value of than its session. */
  val ofFilter: Seq[ConfKey[_]] = Seq(CollectRate, CalculateRate, Momentum, Policy, InitialOrder, Errors)

  /** The rows of the table that is analyzed, where they are known. */
  def rowCount(conf: SQLConf): Option[BigInt] = Some(RowCount.in(conf)).filter(_ > 0).map(BigInt(_))

  // Spark writes the keys that it knows into the properties of each view that is made, and these are other ones each time.
  private val ofOneRun = Seq(QueryTag, RunId, Prior)

  /** Registers the keys with Spark, so that `SET` refuses a value that is out of bounds. Does nothing for keys that are there already. */
  def register(): Unit = synchronized {
    all.diff(ofOneRun).filterNot(key => ConfRegistry.contains(key.name)).foreach(registerOne(_))
  }

  /** @throws IllegalArgumentException
    *   when the session has a key in our namespaces, in upper or lower case, that does not exist
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
    val builder = SQLConf.buildConf(key.name).doc(key.doc).version(Build.version)
    key match {
      case k @ ConfKey(_, "rate", default: Rate, _, _, _, _, _) =>
        builder.stringConf.checkValue(k.allows, outOfBounds(k)).createWithDefault(default.toString)
      case k @ ConfKey(_, "int", default: Int, _, _, _, _, _) =>
        builder.intConf.checkValue(v => k.allows(v.toString), outOfBounds(k)).createWithDefault(default)
      case k @ ConfKey(_, "int", default: Long, _, _, _, _, _) =>
        builder.longConf.checkValue(v => k.allows(v.toString), outOfBounds(k)).createWithDefault(default)
      case k @ ConfKey(_, "size", default: Size, _, _, _, _, _) =>
        builder.stringConf.checkValue(k.allows, outOfBounds(k)).createWithDefault(default.toString)
      case k @ ConfKey(_, "names", default: Names, _, _, _, _, _) =>
        builder.stringConf.checkValue(k.allows, outOfBounds(k)).createWithDefault(default.toString)
      case ConfKey(_, "boolean", default: Boolean, _, _, _, _, _) =>
        builder.booleanConf.createWithDefault(default)
      case k @ ConfKey(_, "double", default: Double, _, Some(min: Double), Some(max: Double), _, _) =>
        builder.doubleConf.checkValue(v => v >= min && v <= max, outOfBounds(k)).createWithDefault(default)
      case k @ ConfKey(_, "enum", default: String, _, _, _, values, _) =>
        builder.stringConf.checkValue(values.contains(_), outOfBounds(k)).createWithDefault(default)
      case k => builder.stringConf.createWithDefault(k.default.toString)
    }
  }

  private def outOfBounds(key: ConfKey[_]): String =
    s"It must be ${key.allowed}. Leave it out for the default, ${if (key.default.toString.isEmpty) "empty"
      else key.default}."
}
