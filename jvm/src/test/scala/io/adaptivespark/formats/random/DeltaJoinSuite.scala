package io.adaptivespark.formats.random

import io.adaptivespark.formats.DeltaSuite
import io.adaptivespark.join.RandomJoinSuite
import io.adaptivespark.join.random.{RandomQuery, RandomTables}

/** The joins of [[RandomJoinSuite]] over tables of Delta Lake, which have deletion vectors and statistics in their log.
  */
class DeltaJoinSuite extends RandomJoinSuite with DeltaSuite {
  override protected def scans: Seq[String] = Seq(RandomTables.Delta)

  override protected def overScans(query: RandomQuery): RandomQuery = query.over(RandomTables.Delta)
}
