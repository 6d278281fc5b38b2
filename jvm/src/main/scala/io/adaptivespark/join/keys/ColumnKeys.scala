package io.adaptivespark.join.keys

import org.apache.spark.SparkContext

/** What a build side holds in one key column, with the type that tells how to read it. */
sealed private[adaptivespark] trait ColumnKeys {
  val keyType: KeyType
  def summary: KeySummary[keyType.Key]

  /** `empty`, `values` or `ranges`. */
  def kind: String =
    if (summary.isEmpty) "empty" else if (summary.values.isDefined) "values" else "ranges"

  /** The number of distinct keys; of rows, where they were too many to tell. */
  def distinct: Long = summary.values.fold(summary.rows)(_.size.toLong)

  private var sent: Option[Option[SentFilter]] = None

  /** What tests rows, if the keys are known well enough: sent to the executors once, however many scans ask for it. */
  def filter(context: SparkContext, byBloom: Boolean): Option[SentFilter] =
    if (byBloom || summary.values.isDefined) synchronized {
      if (sent.isEmpty) sent = Some(KeyMembership.of(this).map(SentFilter(_, context)))
      sent.flatten
    }
    else None

  /** These keys and `others`, of the same type. */
  def or(others: ColumnKeys): ColumnKeys = {
    val both = keyType.collector(KeyLimits())
    both.add(summary)
    both.add(others.summary.asInstanceOf[KeySummary[keyType.Key]])
    ColumnKeys(keyType)(both.summary)
  }
}

private[adaptivespark] object ColumnKeys {
  def apply(of: KeyType)(keys: KeySummary[of.Key]): ColumnKeys = new ColumnKeys {
    override val keyType: of.type = of
    override def summary: KeySummary[of.Key] = keys
  }
}
