package io.adaptivespark.history

import java.util.Locale

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.catalyst.TableIdentifier

/** What a write may have changed: tables of the session catalog by their names, and folders
  * that were written by their paths.
  *
  * @param isEvery
  *   true where nothing tells which tables
  */
final private[adaptivespark] case class WrittenTables private (
    isEvery: Boolean,
    names: Set[TableIdentifier],
    paths: Set[Path]
) {
  def isNone: Boolean = this == WrittenTables.None

  def ++(others: WrittenTables): WrittenTables =
    WrittenTables(isEvery || others.isEvery, names ++ others.names, paths ++ others.paths)

  /** Whether a table was written, by its name or in one of its folders. */
  def holds(name: TableIdentifier, folders: Seq[Path]): Boolean =
    isEvery || WrittenTables.plain(name).exists(names.contains) ||
      paths.exists(written => folders.exists(WrittenTables.overlap(written, _)))
}

private[adaptivespark] object WrittenTables {
  val None: WrittenTables = WrittenTables(isEvery = false, Set.empty, Set.empty)
  val Every: WrittenTables = WrittenTables(isEvery = true, Set.empty, Set.empty)

  /** Every table where one of the names lacks its schema. */
  def named(names: Seq[TableIdentifier]): WrittenTables = {
    val known = names.flatMap(plain)
    if (known.isEmpty || known.size < names.size) Every
    else WrittenTables(isEvery = false, known.toSet, Set.empty)
  }

  def in(folder: Path): WrittenTables = WrittenTables(isEvery = false, Set.empty, Set(folder))

  private def plain(name: TableIdentifier): Option[TableIdentifier] =
    name.database.map(schema => TableIdentifier(lower(name.table), Some(lower(schema))))

  private def lower(text: String) = text.toLowerCase(Locale.ROOT)

  private def overlap(some: Path, other: Path): Boolean = isWithin(some, other) || isWithin(other, some)

  private def isWithin(inner: Path, outer: Path): Boolean =
    Iterator.iterate(inner)(_.getParent).takeWhile(_ != null)
      .exists(_.toUri.getPath == outer.toUri.getPath)
}
