package io.adaptivespark.formats

import io.adaptivespark.formats.MergeSuite.Way
import io.adaptivespark.scan.DeltaIndex

class DeltaMergeSuite extends MergeSuite(DeltaTables) with DeltaSuite {

  // Files are rewritten with all their rows; deletion vectors are found by the rows with a match.
  override protected def ways: Seq[Way] = Seq(
    Way("deletion vectors", "'delta.enableDeletionVectors' = 'true'", 2),
    Way("rewritten files", "'delta.enableDeletionVectors' = 'false'", 1)
  )

  test("of many files, those that have no key by the log are not opened") {
    val count = DeltaIndex.ManyFiles
    spark.sql(
      "CREATE TABLE many (id BIGINT, v BIGINT) USING delta TBLPROPERTIES ('delta.enableDeletionVectors' = 'false')"
    )
    spark.range(0, count * 100L, 1, count).selectExpr("id", "-id - 1 AS v").write.insertInto("many")
    withConf("spark.sql.adaptiveFilter.queryTag" -> "many") {
      spark.sql(
        "MERGE INTO many USING (SELECT id + 1090 AS k FROM range(20)) ON id = k WHEN MATCHED THEN UPDATE SET v = k"
      )
    }
    assert(files("many") == ((count.toLong, 2L)))
    assert(spark.sql("SELECT count(*), count_if(v = id) FROM many").head().toSeq == Seq(count * 100L, 20L))
  }
}
