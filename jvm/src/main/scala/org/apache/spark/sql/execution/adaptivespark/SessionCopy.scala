package org.apache.spark.sql.execution.adaptivespark

import io.adaptivespark.shim.SessionShim.Local

/** Copies of a session: its confs, temporary views and functions, variables, current catalog and schema.
  *
  * Later changes of either stay its own.
  *
  * Spark's clone, which is private to Spark, leaves variables and the current catalog behind.
  */
object SessionCopy {

  def of(session: Local): Local = {
    val copy = session.cloneSession()
    SessionVariables.copy(session, copy)
    copyNamespace(session, copy)
    copy
  }

  /** The session catalog's current schema is in the clone already; of other catalogs each session has instances of its
    * own, which it makes by the confs of the session that is active.
    */
  private def copyNamespace(session: Local, copy: Local): Unit = {
    def manager(of: Local) = of.sessionState.catalogManager
    val (catalog, namespace) =
      session.withActive((manager(session).currentCatalog.name, manager(session).currentNamespace))
    copy.withActive {
      manager(copy).setCurrentCatalog(catalog)
      if (!manager(copy).currentNamespace.sameElements(namespace))
        manager(copy).setCurrentNamespace(namespace)
    }
  }
}
