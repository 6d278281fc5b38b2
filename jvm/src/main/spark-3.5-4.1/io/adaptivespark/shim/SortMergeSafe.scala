package io.adaptivespark.shim

/** An operator of which several partitions may be read in turns. Spark does not ask before 4.2, which introduced a lazy
  * merge of sorted partitions.
  */
private[adaptivespark] trait SortMergeSafe
