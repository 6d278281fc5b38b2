package io.adaptivespark

import java.util.Properties

import org.apache.spark.SPARK_VERSION

/** What this jar is: its version and the Spark line (`major.minor`) that it was compiled against. */
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

  /** Why this jar can't work on `running` (a full Spark version), or nothing. */
  def mismatch(running: String = SPARK_VERSION): Option[String] =
    if (running.startsWith(sparkLine + ".")) None
    else
      Some(
        s"adaptive-spark $version was built for Spark $sparkLine and is inactive on Spark $running: " +
          s"use the jar adaptive-spark_${running.split('.').take(2).mkString(".")}_<scala>.jar."
      )
}
