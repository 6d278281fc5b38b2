package io.adaptivespark.shim

import org.apache.hadoop.conf.Configuration
import org.apache.spark.sql.{classic, SparkSession}
import org.apache.spark.sql.catalyst.analysis.Resolver
import org.apache.spark.sql.catalyst.catalog.SessionCatalog

/** The state of a session.
  *
  * Since 4.0 only a session that runs in this process has one, and an extension sees no other.
  */
object SessionShim {

  /** A session that runs in this process. */
  type Local = classic.SparkSession

  def local(session: SparkSession): Local = session.asInstanceOf[classic.SparkSession]

  def catalog(session: SparkSession): SessionCatalog = local(session).sessionState.catalog

  def hadoopConf(session: SparkSession): Configuration = local(session).sessionState.newHadoopConf()

  def resolver(session: SparkSession): Resolver = local(session).sessionState.conf.resolver
}
