package org.apache.spark.sql.execution.adaptivespark

import scala.collection.mutable

import org.apache.spark.sql.catalyst.catalog.TempVariableManager
import org.apache.spark.sql.classic.SparkSession

/** Copies of a session: its confs, temporary views and functions, variables, current catalog and schema.
  *
  * Later changes of either stay its own.
  *
  * Spark's clone, which is private to Spark, leaves variables and the current catalog behind.
  */
object SessionCopy {

  def of(session: SparkSession): SparkSession = {
    val copy = session.cloneSession()
    copyVariables(
      session.sessionState.catalogManager.tempVariableManager,
      copy.sessionState.catalogManager.tempVariableManager
    )
    copyNamespace(session, copy)
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

  /** The session catalog's current schema is in the clone already; of other catalogs each session has instances of its
    * own, which it makes by the confs of the session that is active.
    */
  private def copyNamespace(session: SparkSession, copy: SparkSession): Unit = {
    def manager(of: SparkSession) = of.sessionState.catalogManager
    val (catalog, namespace) =
      session.withActive((manager(session).currentCatalog.name, manager(session).currentNamespace))
    copy.withActive {
      manager(copy).setCurrentCatalog(catalog)
      if (!manager(copy).currentNamespace.sameElements(namespace))
        manager(copy).setCurrentNamespace(namespace)
    }
  }
}
