package io.adaptivespark.formats

import io.adaptivespark.formats.IcebergSuite.SmallRowGroups
import io.adaptivespark.formats.MergeSuite.Way

class IcebergMergeSuite extends MergeSuite(IcebergTables) with IcebergSuite {

  // Deletes are written by one query. Files are rewritten by one that reads them whole, after one that finds them.
  override protected def ways: Seq[Way] = Seq(
    Way("position deletes", s"$SmallRowGroups, 'write.merge.mode' = 'merge-on-read'", 1),
    Way(
      "deletion vectors",
      s"$SmallRowGroups, 'format-version' = '3', 'write.merge.mode' = 'merge-on-read'",
      1
    ),
    Way("rewritten files", SmallRowGroups, 1)
  )
}
