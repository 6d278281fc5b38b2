package io.adaptivespark.formats.random

import io.adaptivespark.formats.{IcebergSuite, IcebergTables}

class IcebergRandomMergeSuite extends RandomMergeSuite(IcebergTables) with IcebergSuite {
  override protected def properties: Seq[String] = Seq(
    "'format-version' = '2'",
    "'write.merge.mode' = 'merge-on-read'",
    "'format-version' = '3', 'write.merge.mode' = 'merge-on-read'"
  )

  override protected def leastShare: Double = 0.2
}
