package io.adaptivespark.formats

import scala.util.Try

import org.scalatest.{Outcome, TestSuite}

import io.adaptivespark.{AdaptiveSparkExtensions, SparkSuite}
import io.adaptivespark.conf.Build

/** A session with Delta Lake, whose jars `build_support` brings; without them, tests are cancelled. */
trait DeltaSuite extends TestSuite with SparkSuite {
  override protected def staticConf: Map[String, String] = super.staticConf ++ DeltaSuite.conf

  override protected def withFixture(test: NoArgTest): Outcome = {
    assume(DeltaSuite.isThere, s"Delta Lake has no release for Spark ${Build.sparkLine}.")
    super.withFixture(test)
  }
}

object DeltaSuite {
  private val Extension = "io.delta.sql.DeltaSparkSessionExtension"

  val isThere: Boolean = Try(Class.forName(Extension)).isSuccess

  /** The confs by which a session has Delta Lake: none where its jars are not there. */
  def conf: Map[String, String] =
    if (!isThere) Map.empty
    else
      Map(
        "spark.sql.extensions" -> s"${classOf[AdaptiveSparkExtensions].getName},$Extension",
        "spark.sql.catalog.spark_catalog" -> "org.apache.spark.sql.delta.catalog.DeltaCatalog",
        // A checkpoint's usual 50 tasks take longer than all else of a test.
        "spark.databricks.delta.snapshotPartitions" -> "1"
      )
}
