package io.adaptivespark.formats.random

import io.adaptivespark.formats.{DeltaSuite, DeltaTables}

class DeltaRandomMergeSuite extends RandomMergeSuite(DeltaTables) with DeltaSuite {
  override protected def properties: Seq[String] = Seq(
    "'delta.enableDeletionVectors' = 'true'",
    "'delta.enableDeletionVectors' = 'false'",
    "'delta.enableDeletionVectors' = 'true', 'delta.columnMapping.mode' = 'name'",
    "'delta.enableChangeDataFeed' = 'true'",
    "'delta.enableRowTracking' = 'true'"
  )

  override protected def leastShare: Double = 0.3
}
