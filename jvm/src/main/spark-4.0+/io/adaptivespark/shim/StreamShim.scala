package io.adaptivespark.shim

import org.apache.spark.sql.execution.{SparkPlan, StreamSourceAwareSparkPlan}

private[adaptivespark] object StreamShim {

  /** True of a scan of a stream. Spark 4.0 made scans say so. */
  def isStream(scan: SparkPlan): Boolean = scan match {
    case aware: StreamSourceAwareSparkPlan => aware.getStream.isDefined
    case _ => false
  }
}
