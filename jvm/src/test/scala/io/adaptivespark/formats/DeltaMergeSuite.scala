package io.adaptivespark.formats

import java.util.concurrent.CancellationException

import org.apache.spark.sql.catalyst.expressions.{AttributeSet, LeafExpression, Unevaluable}
import org.apache.spark.sql.execution.datasources.{FileIndex, HadoopFsRelation, LogicalRelation}
import org.apache.spark.sql.types.{BooleanType, DataType}

import io.adaptivespark.formats.MergeSuite.Way
import io.adaptivespark.scan.DeltaIndex

class DeltaMergeSuite extends MergeSuite(DeltaTables) with DeltaSuite {
  import DeltaMergeSuite.Failing

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

  test("files are read where their log cannot be asked, save where the question was cancelled") {
    spark.range(1).write.format("delta").saveAsTable("asked")
    val index = spark.table("asked").queryExecution.analyzed.collectFirst { case read: LogicalRelation =>
      read.relation.asInstanceOf[HadoopFsRelation].location
    }.get
    def of(from: AnyRef, name: String) = from.getClass.getMethod(name).invoke(from)
    val (log, snapshot) = (of(index, "deltaLog"), of(index, "getSnapshot"))
    val file = of(of(snapshot, "allFiles"), "collect").asInstanceOf[Array[AnyRef]].head
    val many = Seq.fill(DeltaIndex.ManyFiles)(file).toList
    val chosen = Class.forName("org.apache.spark.sql.delta.files.TahoeBatchFileIndex").getConstructors.head
      .newInstance(spark, "batch", many, log, of(log, "dataPath"), snapshot, Boolean.box(false))
      .asInstanceOf[FileIndex]
    assert(DeltaIndex.count(chosen).contains(DeltaIndex.ManyFiles.toLong))
    def narrowed(error: RuntimeException) = DeltaIndex.narrowed(chosen, Seq(Failing(error)), Nil)
    assert(narrowed(new IllegalStateException("no executor")) eq chosen)
    raises[CancellationException](narrowed(new CancellationException))
  }
}

private object DeltaMergeSuite {

  /** A condition by which nothing can be asked. */
  private case class Failing(error: RuntimeException) extends LeafExpression with Unevaluable {
    override def references: AttributeSet = throw error
    override def dataType: DataType = BooleanType
    override def nullable: Boolean = false
  }
}
