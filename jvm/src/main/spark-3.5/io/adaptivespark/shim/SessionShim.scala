package io.adaptivespark.shim

import org.apache.hadoop.conf.Configuration
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.analysis.Resolver
import org.apache.spark.sql.catalyst.catalog.SessionCatalog

/** The state of a session. Until Spark 3.5 each session runs in this process. */
object SessionShim {
  type Local = SparkSession

  def local(session: SparkSession): Local = session

  def catalog(session: SparkSession): SessionCatalog = session.sessionState.catalog

  def hadoopConf(session: SparkSession): Configuration = session.sessionState.newHadoopConf()

  def resolver(session: SparkSession): Resolver = session.sessionState.conf.resolver
}
