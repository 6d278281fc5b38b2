package io.adaptivespark.formats

import io.adaptivespark.formats.MergeSuite.Way

class DeltaMergeSuite extends MergeSuite(DeltaTables) with DeltaSuite {

  // Files are rewritten with all their rows; deletion vectors are found by the rows with a match.
  override protected def ways: Seq[Way] = Seq(
    Way("deletion vectors", "'delta.enableDeletionVectors' = 'true'", 2),
    Way("rewritten files", "'delta.enableDeletionVectors' = 'false'", 1)
  )
}
