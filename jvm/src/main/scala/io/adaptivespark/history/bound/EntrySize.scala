package io.adaptivespark.history.bound

/** The bytes of an entry of [[RecentEntries]], estimated, and the parts of it that equal those of other entries.
  *
  * @tparam P
  *   a part: immutable, and compared by value
  */
private[adaptivespark] trait EntrySize[E, P] {

  /** Bytes of an entry without its parts, as of now: a report grows as long as its query runs. */
  def own(entry: E): Long

  def parts(entry: E): Seq[P]

  def ofPart(part: P): Long

  /** The entry with equal parts, in the order of `parts`, in place of its own. */
  def withParts(entry: E, parts: Seq[P]): E
}
