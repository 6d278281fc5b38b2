package io.adaptivespark.analyze

/** Distinct values of a column in a sample: those that stand in `often` rows and more, those in fewer, of these the ones in a single row, and the rows that they
  * stand in.
  */
private[adaptivespark] final case class ValueCounts(frequent: Long, rare: Long, single: Long, rareRows: Long)
