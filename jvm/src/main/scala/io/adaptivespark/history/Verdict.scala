package io.adaptivespark.history

import io.adaptivespark.conf.AdaptiveSparkConf.{MaxBuildSize, MinProbeSize}
import io.adaptivespark.history.memory.PruningMemory

/** The outcome for a dynamic filter: it was placed, or there is a reason why not.
  *
  * `ExportFacts` exports the codes, by which dbt's adapter has its own texts and remedies.
  *
  * @param code
  *   the verdict for programs: it never changes its meaning
  * @param text
  *   the verdict for people, as the end of a sentence
  * @param figures
  *   the numbers in the text, by name: `build_bytes`, `scan_bytes` and `limit_bytes`, and `kept`, a share from 0 to 1
  */
sealed abstract class Verdict(val code: String, val text: String, figures: (String, Double)*)
    extends Product with Serializable {
  final def figuresByName: Map[String, Double] = figures.toMap
}

object Verdict {

  case object Filtered extends Verdict("filtered", "filtered")

  case object HintOff extends Verdict("hint_off", "the hint NO_DYNAMIC_FILTER forbids it")

  case object ExchangeReuseOff extends Verdict(
        "exchange_reuse_off",
        "spark.sql.exchange.reuse is false, so the build side would run twice"
      )

  final case class KeyTypeUnsupported(sql: String) extends Verdict(
        "key_type_unsupported",
        s"keys of type $sql can't be compared with the statistics of files; integers, decimals, strings, dates and timestamps can"
      )

  case object BuildNotRepeatable extends Verdict(
        "build_not_repeatable",
        "the build side may give other rows when a part of it is computed again"
      )

  case object BuildNotReused extends Verdict(
        "build_not_reused",
        "the build side's source does not say that two reads of it are equal, so Spark would run it twice"
      )

  case object BuildNotCached extends Verdict(
        "build_not_cached",
        "the build side's cached table is not computed yet and would be computed twice; a later query finds it"
      )

  case object BuildIsStream extends Verdict(
        "build_is_stream",
        "the build side is a stream, whose progress would count its rows twice"
      )

  case object NoScanOfKey extends Verdict(
        "no_scan_of_key",
        "the key can't be followed to a column of a scan: it is computed, or an operator on the way needs all rows"
      )

  case object ScanCannotSkip extends Verdict(
        "scan_cannot_skip",
        "the scan can't skip data by this column, or Spark's dynamic partition pruning does so already"
      )

  case object ScanShared extends Verdict(
        "scan_shared",
        "another part of the query reads the same rows and may need all of them"
      )

  case object BuildNotReduced extends Verdict(
        "build_not_reduced",
        "the build side is not filtered, or only by a condition on the key that the scan has too"
      )

  final case class ScanTooSmall(bytes: Long, least: Long) extends Verdict(
        "scan_too_small",
        s"the scan has $bytes bytes of files, less than ${MinProbeSize.name} ($least bytes)",
        "scan_bytes" -> bytes.toDouble,
        "limit_bytes" -> least.toDouble
      )

  final case class ColumnsTooSmall(bytes: Long, least: Long) extends Verdict(
        "columns_too_small",
        s"the columns that the scan reads have about $bytes bytes of files, less than ${MinProbeSize.name} ($least bytes)",
        "scan_bytes" -> bytes.toDouble,
        "limit_bytes" -> least.toDouble
      )

  final case class BuildReadsMore(build: Long, scan: Long) extends Verdict(
        "build_reads_more",
        s"the build side reads $build bytes and the scan $scan, so waiting for the keys would cost more than it saves; the hint DYNAMIC_FILTER asks for the filter all the same",
        "build_bytes" -> build.toDouble,
        "scan_bytes" -> scan.toDouble
      )

  /** @param kept
    *   the smaller of the shares that the last two runs kept
    */
  final case class KeptTooMany(kept: Double) extends Verdict(
        "kept_too_many",
        f"the filter kept ${kept * 100}%.0f %% of the rows or more in its last two runs, too many for what its keys cost; it is tried again after ${PruningMemory.Patience} runs without it",
        "kept" -> kept
      )

  final case class JoinNeedsAllRows(joinType: String) extends Verdict(
        "join_needs_all_rows",
        s"a $joinType join needs all rows of this side"
      )

  case object NoExchange extends Verdict(
        "no_exchange",
        "the join's other side has no exchange to read keys from: it streams past a broadcast, or needs no shuffle"
      )

  case object PlanTooLarge extends Verdict("plan_too_large", "the plan would become too large")

  final case class BuildTooLarge(bytes: Long, most: Long) extends Verdict(
        "build_too_large",
        s"the build side has $bytes bytes, more than ${MaxBuildSize.name} ($most bytes)",
        "build_bytes" -> bytes.toDouble,
        "limit_bytes" -> most.toDouble
      )

  final case class KeysUnreadable(error: String) extends Verdict(
        "keys_unreadable",
        s"reading the keys failed: $error"
      )

  case object ValuesDiffer extends Verdict(
        "values_differ",
        "the file reader would compare other values than these keys, so no data is skipped by them"
      )

  case object SourceRefused extends Verdict(
        "source_refused",
        "the table's source did not take the keys, and Spark's log has the reason, so no data is skipped by them"
      )

  /** One verdict of each kind, in the order in which they are looked for. */
  val examples: Seq[Verdict] = Seq(
    Filtered,
    JoinNeedsAllRows("LEFT OUTER"),
    NoExchange,
    HintOff,
    ExchangeReuseOff,
    KeyTypeUnsupported("DOUBLE"),
    BuildNotRepeatable,
    BuildNotReused,
    BuildNotCached,
    BuildIsStream,
    NoScanOfKey,
    ScanCannotSkip,
    ScanShared,
    BuildNotReduced,
    ScanTooSmall(4118, 4194304),
    ColumnsTooSmall(3145728, 4194304),
    BuildReadsMore(2912000000L, 180400128),
    KeptTooMany(0.97),
    PlanTooLarge,
    BuildTooLarge(412118004, 268435456),
    KeysUnreadable("Task failed while reading rows."),
    ValuesDiffer,
    SourceRefused
  )
}
