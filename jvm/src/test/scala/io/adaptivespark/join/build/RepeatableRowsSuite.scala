package io.adaptivespark.join.build

import org.apache.spark.sql.{DataFrame, Row}
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.types.StructType
import org.scalatest.concurrent.Eventually
import org.scalatest.funsuite.AnyFunSuite
import org.scalatest.time.{Millis, Seconds, Span}

import io.adaptivespark.SparkSuite
import io.adaptivespark.scan.ScanKind

/** Rows that are the same when they are computed again, and rows that need not be. */
class RepeatableRowsSuite extends AnyFunSuite with SparkSuite with Eventually {
  implicit override val patienceConfig: PatienceConfig = PatienceConfig(Span(60, Seconds), Span(50, Millis))

  private def plan(query: DataFrame): SparkPlan = query.queryExecution.sparkPlan

  private def ofRdd: DataFrame =
    spark.createDataFrame(
      spark.sparkContext.parallelize(0 until 1000).map(Row(_)),
      StructType.fromDDL("k INT")
    )

  test("an RDD may give other rows, and those that a checkpoint keeps stay") {
    assert(!RepeatableRows(plan(ofRdd)))
    assert(!RepeatableRows(plan(ofRdd.localCheckpoint(eager = false))), "nothing is kept before it runs")
    assert(RepeatableRows(plan(ofRdd.localCheckpoint().where("k > 3"))))
    assert(RepeatableRows(plan(spark.range(5).toDF().where("id > 3"))))
    assert(!RepeatableRows(plan(spark.range(5).toDF().where("rand() > 0.5"))))
  }

  test("rows that a checkpoint keeps have the size of what is kept, and are not those of a table") {
    val Seq(kept, other) = Seq(ofRdd.localCheckpoint(), ofRdd).map(rows => ScanKind.of(plan(rows)))
    // Spark counts it in another thread.
    eventually(assert(kept.bytes > 0 && kept.bytes < 100000))
    assert(kept.isReduced)
    assert(other.bytes > (1L << 40) && !other.isReduced)
  }
}
