package io.adaptivespark.stats

import org.apache.hadoop.conf.Configuration
import org.apache.spark.sql.{classic, SparkSession}
import org.apache.spark.sql.catalyst.catalog.SessionCatalog

/** What differs between Spark lines in reading the catalog. */
private[stats] object StatsShim {

  /** 4.0: only sessions that run in this process, which are all that an extension sees, have a state. */
  def catalog(session: SparkSession): SessionCatalog = state(session).catalog

  def hadoopConf(session: SparkSession): Configuration = state(session).newHadoopConf()

  private def state(session: SparkSession) = session.asInstanceOf[classic.SparkSession].sessionState
}
