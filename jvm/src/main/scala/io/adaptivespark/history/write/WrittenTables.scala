package io.adaptivespark.history.write

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.catalyst.TableIdentifier

/** What a write may have changed: tables of the session catalog by their names, and folders
  * that were written by their paths.
  *
  * @param isEvery
  *   true where nothing tells which tables
  * @param described
  *   tables of which statistics alone were written
  */
final private[adaptivespark] case class WrittenTables private (
    isEvery: Boolean,
    names: Set[TableIdentifier] = Set.empty,
    described: Set[TableIdentifier] = Set.empty,
    paths: Set[Path] = Set.empty
) {
  def isNone: Boolean = this == WrittenTables.None

  def ++(others: WrittenTables): WrittenTables = WrittenTables(
    isEvery || others.isEvery,
    names ++ others.names,
    described ++ others.described,
    paths ++ others.paths
  )

  /** Whether rows of a table were written, by its name or in one of its folders. */
  def holdRows(name: TableIdentifier, folders: Seq[Path]): Boolean =
    isEvery || names.exists(WrittenTables.isSame(_, name)) ||
      paths.exists(written => folders.exists(WrittenTables.overlap(written, _)))
}

private[adaptivespark] object WrittenTables {
  val None: WrittenTables = WrittenTables(isEvery = false)
  val Every: WrittenTables = WrittenTables(isEvery = true)

  /** Every table where one of the names lacks its schema. */
  def named(names: Seq[TableIdentifier]): WrittenTables =
    if (areWhole(names)) WrittenTables(isEvery = false, names = names.toSet) else Every

  /** Like `named`, of statistics. */
  def described(names: Seq[TableIdentifier]): WrittenTables =
    if (areWhole(names)) WrittenTables(isEvery = false, described = names.toSet) else Every

  def in(folder: Path): WrittenTables = WrittenTables(isEvery = false, paths = Set(folder))

  private def areWhole(names: Seq[TableIdentifier]) = names.nonEmpty && names.forall(_.database.isDefined)

  // Only tables of the session catalog are known by their names, whatever the catalog is called here.
  private def isSame(some: TableIdentifier, other: TableIdentifier): Boolean =
    some.table.equalsIgnoreCase(other.table) &&
      some.database.exists(schema => other.database.exists(schema.equalsIgnoreCase))

  private def overlap(some: Path, other: Path): Boolean = isWithin(some, other) || isWithin(other, some)

  private def isWithin(inner: Path, outer: Path): Boolean =
    Iterator.iterate(inner)(_.getParent).takeWhile(_ != null)
      .exists(_.toUri.getPath == outer.toUri.getPath)
}
