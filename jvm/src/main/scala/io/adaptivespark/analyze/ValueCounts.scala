package io.adaptivespark.analyze

/** Distinct values of a column in a sample.
  *
  * @param frequent
  *   values in `often` rows or more, see [[CountValues]]
  * @param rare
  *   values in fewer rows
  * @param single
  *   those of them in a single row
  * @param rareRows
  *   rows of rare values
  */
private[adaptivespark] final case class ValueCounts(frequent: Long, rare: Long, single: Long, rareRows: Long)
