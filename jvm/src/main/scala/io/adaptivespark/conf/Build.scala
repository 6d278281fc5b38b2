package io.adaptivespark.conf

import java.util.Properties

import scala.util.Properties.versionNumberString

import org.apache.spark.SPARK_VERSION

/** Release of this jar, and the Spark line (`major.minor`) and Scala that it is compiled for.
  *
  * Like [[AdaptiveSparkExtensions]] it also runs on Sparks that the jar is not built for.
  */
object Build {
  private val properties = {
    val loaded = new Properties
    val stream = getClass.getResourceAsStream("/io/adaptivespark/build.properties")
    try loaded.load(stream)
    finally stream.close()
    loaded
  }

  val version: String = properties.getProperty("version")
  val sparkLine: String = properties.getProperty("spark")
  val scalaLine: String = properties.getProperty("scala")

  /** The builds that this release ships, in words. */
  val shipped: String = properties.getProperty("builds")

  /** Why this jar cannot work on a Spark and a Scala, given as full versions; none if it can. */
  def mismatch(
      spark: String = SPARK_VERSION,
      scala: String = versionNumberString
  ): Option[String] =
    if (spark.startsWith(sparkLine + ".") && scala.startsWith(scalaLine + ".")) None
    else
      Some(
        s"adaptive-spark $version is built for Spark $sparkLine (Scala $scalaLine) and inactive on " +
          s"Spark $spark (Scala $scala). This release has jars for $shipped: " +
          "use the jar of your Spark, or a Spark that has one."
      )
}
