package io.adaptivespark.conf

import java.util.Locale

import org.apache.spark.SparkConf
import org.apache.spark.sql.execution.adaptivespark.ConfRegistry
import org.apache.spark.sql.internal.SQLConf

/** Every key of the extension, in the order of the documentation. `docs/configs.md` and `configs.json` are generated from here. */
object AdaptiveSparkConf {
  val Namespace = "spark.sql.adaptiveFilter."
  val DynamicNamespace = "spark.sql.dynamicFilter."
  val StatisticsNamespace = "spark.sql.adaptiveStatistics."
  val MemoryNamespace = "spark.sql.adaptiveMemory."
  private val namespaces =
    Seq(Namespace, DynamicNamespace, StatisticsNamespace, MemoryNamespace).map(lowerCase)

  val Enabled: ConfKey[Boolean] = ConfKey(
    Namespace + "enabled",
    "boolean",
    default = true,
    "Whether filters of two or more conjuncts reorder themselves while the query runs. Off: Spark's own filter, unchanged.",
    modelConfig = Some("adaptive_filter")
  )(_.toBoolean)

  val CollectRate: ConfKey[Rate] = ConfKey(
    Namespace + "collectRate",
    "rate",
    default = Rate(Some(1000)),
    "One row in this many is evaluated by every conjunct and timed (collectRate of arXiv 1905.01349). Smaller learns sooner and costs more. " +
      "auto: as many as take 0.3 % of the task's time.",
    min = Some(Rate(Some(1))),
    max = Some(Rate(Some(Int.MaxValue))),
    modelConfig = Some("collect_rate")
  )(Rate.parse)

  val CalculateRate: ConfKey[Rate] = ConfKey(
    Namespace + "calculateRate",
    "rate",
    default = Rate(Some(1000000)),
    "Rows of a task after which ranks are recalculated: an epoch (calculateRate of arXiv 1905.01349). The first epochs are " +
      "shorter, 32 samples and then twice as many each time, so that small inputs learn too. auto: after 1,000 sampled rows.",
    min = Some(Rate(Some(1))),
    max = Some(Rate(Some(Int.MaxValue))),
    modelConfig = Some("calculate_rate")
  )(Rate.parse)

  val Momentum: ConfKey[Double] = ConfKey(
    Namespace + "momentum",
    "double",
    default = 0.3,
    "Share of a conjunct's previous rank that its new rank keeps: 0 forgets, 1 never learns (momentum of arXiv 1905.01349).",
    min = Some(0.0),
    max = Some(1.0),
    modelConfig = Some("momentum")
  )(_.toDouble)

  val Policy: ConfKey[String] = ConfKey(
    Namespace + "policy",
    "enum",
    default = "rank",
    "rank: by cost and selectivity of each predicate alone (arXiv 1905.01349, §2.1). conditional: by the joint outcomes of sampled rows, " +
      "so that predicates which imply each other are seen.",
    values = Seq("rank", "conditional"),
    modelConfig = Some("policy")
  )(identity)

  val InitialOrder: ConfKey[String] = ConfKey(
    Namespace + "initialOrder",
    "enum",
    default = "learned",
    "The order before a query has measured anything. learned: what an earlier query with the same predicates learned, else column statistics " +
      "(with spark.sql.cbo.enabled), else the structure of nested AND and OR. written: as written.",
    values = Seq("learned", "written"),
    modelConfig = Some("initial_order")
  )(identity)

  val Errors: ConfKey[String] = ConfKey(
    Namespace + "errors",
    "enum",
    default = "guarded",
    "guarded: a conjunct that may throw is evaluated only on rows that passed all conjuncts written before it, so no query fails " +
      "that would not have failed in its written order. exact: besides, no filter makes an error disappear; nothing crosses a conjunct that may throw.",
    values = Seq("guarded", "exact"),
    modelConfig = Some("errors")
  )(identity)

  val Verbose: ConfKey[Boolean] = ConfKey(
    Namespace + "verbose",
    "boolean",
    default = false,
    "Whether executors log each change of order with its ranks, and the driver which filters it left to Spark, and why."
  )(_.toBoolean)

  val QueryTag: ConfKey[String] = ConfKey(
    Namespace + "queryTag",
    "string",
    default = "",
    "Label of the session's queries in the functions that tell of them, and by which what filters learned is kept apart; the dbt adapter sets it to the node's unique_id."
  )(identity)

  val RunId: ConfKey[String] = ConfKey(
    Namespace + "runId",
    "string",
    default = "",
    "Label of the run in the functions that tell of queries; the dbt adapter sets it to its invocation id."
  )(identity)

  val DynamicEnabled: ConfKey[Boolean] = ConfKey(
    DynamicNamespace + "enabled",
    "boolean",
    default = true,
    "Whether the keys of one side of a join keep the scans of the other side from reading what has no partner. Off: Spark's own plans, unchanged, save where a hint asks for a filter.",
    modelConfig = Some("dynamic_filter")
  )(_.toBoolean)

  val MaxRanges: ConfKey[Int] = ConfKey(
    DynamicNamespace + "maxRanges",
    "int",
    default = 1024,
    "Ranges of keys that a scan is given at most, split at the largest gaps between keys. Fewer where they leave out nearly as much, and 64 where even these leave out little. Of files in a small table no more than one for each 256 KiB or each file, or 64 if that is more.",
    min = Some(1),
    max = Some(4096)
  )(_.toInt)

  val MaxBuildSize: ConfKey[Size] = ConfKey(
    DynamicNamespace + "maxBuildSize",
    "size",
    default = Size.parse("256m"),
    "The keys of a build side that turns out to be larger than this, in the compressed bytes of a shuffle or a broadcast's memory, are not read; its join runs unfiltered."
  )(Size.parse)

  val MinProbeSize: ConfKey[Size] = ConfKey(
    DynamicNamespace + "minProbeSize",
    "size",
    default = Size.parse("4m"),
    "A scan of files, a cached table or a source with less than this is not filtered: reading the keys would take longer than reading the files. Where no shuffle or other join lies between a scan of Parquet or ORC and the join, its columns count, each by the width of its type, but no less than an eighth of the files."
  )(Size.parse)

  val DynamicVerbose: ConfKey[Boolean] = ConfKey(
    DynamicNamespace + "verbose",
    "boolean",
    default = false,
    "Whether the driver logs which joins filter nothing, and why, and row groups of Parquet are counted, for which each file is opened twice."
  )(_.toBoolean)

  val Sample: ConfKey[Double] = ConfKey(
    StatisticsNamespace + "sample",
    "double",
    default = 1.0,
    "Share of a table's rows that ANALYZE TABLE … FOR COLUMNS counts, at random; distinct values are then estimated. Tables of which that leaves fewer than " +
      "10,000 rows are counted whole. The dbt adapter sets it by the option sample of analyze, and for large tables.",
    min = Some(0.001),
    max = Some(1.0)
  )(_.toDouble)

  val RowCount: ConfKey[Long] = ConfKey(
    StatisticsNamespace + "rowCount",
    "int",
    default = 0L,
    "The rows of the table that the next ANALYZE TABLE … FOR COLUMNS samples, where they are known; 0 is not known. They are stored in the place of the " +
      "sample's estimate. The dbt adapter sets it to the rows that a model wrote.",
    min = Some(0L),
    max = Some(Long.MaxValue)
  )(_.toLong)

  val HistogramColumns: ConfKey[Names] = ConfKey(
    StatisticsNamespace + "histogramColumns",
    "names",
    default = Names.parse(""),
    "The columns of which ANALYZE TABLE … FOR COLUMNS makes histograms where spark.sql.statistics.histogram.enabled has it make some, as a JSON list; empty is all. " +
      "The dbt adapter names those that filters compare with values."
  )(Names.parse)

  val ShareAcrossUsers: ConfKey[Boolean] = ConfKey(
    MemoryNamespace + "shareAcrossUsers",
    "boolean",
    default = false,
    "Whether the functions that tell of queries show every user's, and what filters and joins learned serves all users. Off: a user sees and uses what the user's " +
      "own queries did. For administrators: set it where Spark starts, as in spark-defaults.conf; SET refuses it."
  )(_.toBoolean)

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

  /** The keys that a single filter may have another value of than its session. */
  val ofFilter: Seq[ConfKey[_]] = Seq(CollectRate, CalculateRate, Momentum, Policy, InitialOrder, Errors)

  /** The rows of the table that is analyzed, where they are known. */
  def rowCount(conf: SQLConf): Option[BigInt] = Some(RowCount.in(conf)).filter(_ > 0).map(BigInt(_))

  // Spark writes the keys that it knows into the properties of each view that is made, and these are other ones each time.
  private val ofOneRun = Seq(QueryTag, RunId)

  // Static to Spark, which then refuses a SET of them, and a start with a value that is none.
  private val ofStart = Seq(ShareAcrossUsers)

  /** By the conf that the application was started with: a session's own may be a client's. */
  def sharesAcrossUsers(conf: SparkConf): Boolean =
    conf.getBoolean(ShareAcrossUsers.name, ShareAcrossUsers.default)

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
    val build = if (ofStart.contains(key)) SQLConf.buildStaticConf _ else SQLConf.buildConf _
    val builder = build(key.name).doc(key.doc).version(Build.version)
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
