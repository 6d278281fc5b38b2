package io.adaptivespark.shim

import org.apache.hadoop.conf.Configuration
import org.apache.spark.sql.{classic, SparkSession}
import org.apache.spark.sql.catalyst.analysis.Resolver
import org.apache.spark.sql.catalyst.catalog.SessionCatalog

/** The state of a session.
  *
  * Since 4.0 only a session that runs in this process has one, and an extension sees no other.
  */
private[adaptivespark] object SessionShim {
  def catalog(session: SparkSession): SessionCatalog = state(session).catalog

  def hadoopConf(session: SparkSession): Configuration = state(session).newHadoopConf()

  def resolver(session: SparkSession): Resolver = state(session).conf.resolver

  private def state(session: SparkSession) = session.asInstanceOf[classic.SparkSession].sessionState
}
