package org.apache.spark.sql.execution.adaptivespark

import scala.collection.mutable

import org.apache.spark.sql.catalyst.catalog.TempVariableManager
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.connector.catalog.CatalogManager

/** Copies of a session: its confs, temporary views and functions, variables, current catalog and schema. Later changes of either stay its own.
  *
  * Spark's clone, which is private to Spark, leaves variables and the current catalog behind.
  */
object SessionCopy {

  def of(session: SparkSession): SparkSession = {
    val copy = session.cloneSession()
    val (from, to) = (session.sessionState.catalogManager, copy.sessionState.catalogManager)
    copyVariables(from.tempVariableManager, to.tempVariableManager)
    copyNamespace(from, to)
    copy
  }

  private def copyVariables(from: TempVariableManager, to: TempVariableManager): Unit =
    if (!from.isEmpty) from.synchronized(variables(to) ++= variables(from))

  /** By reflection: the manager lists its variables to nobody. The definitions in it are immutable. */
  private def variables(manager: TempVariableManager): mutable.HashMap[String, AnyRef] = {
    val field = classOf[TempVariableManager].getDeclaredField("variables")
    field.setAccessible(true)
    field.get(manager).asInstanceOf[mutable.HashMap[String, AnyRef]]
  }

  /** The session catalog's current schema is in the clone already; of other catalogs each session has instances of its own. */
  private def copyNamespace(from: CatalogManager, to: CatalogManager): Unit = {
    to.setCurrentCatalog(from.currentCatalog.name)
    if (!to.currentNamespace.sameElements(from.currentNamespace))
      to.setCurrentNamespace(from.currentNamespace)
  }
}
