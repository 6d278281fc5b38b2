package io.adaptivespark.shim

import org.apache.spark.sql.execution.SafeForKWayMerge

/** An operator of which several partitions may be read in turns. 4.2 merges sorted partitions lazily above such
  * operators, and above no others. Each partition of ours has a monitor of its own.
  */
private[adaptivespark] trait SortMergeSafe extends SafeForKWayMerge
