package org.apache.spark.sql.execution.adaptivespark

import scala.collection.mutable

import org.apache.spark.sql.catalyst.catalog.TempVariableManager
import org.apache.spark.sql.classic.SparkSession

/** The variables of a session, which Spark 4.0 introduced. */
private[adaptivespark] object SessionVariables {

  def copy(from: SparkSession, to: SparkSession): Unit =
    copy(
      from.sessionState.catalogManager.tempVariableManager,
      to.sessionState.catalogManager.tempVariableManager
    )

  private def copy(from: TempVariableManager, to: TempVariableManager): Unit =
    if (!from.isEmpty) from.synchronized(variables(to) ++= variables(from))

  /** By reflection: the manager lists its variables to nobody. The definitions in it are immutable. */
  private def variables(manager: TempVariableManager): mutable.HashMap[String, AnyRef] = {
    val field = classOf[TempVariableManager].getDeclaredField("variables")
    field.setAccessible(true)
    field.get(manager).asInstanceOf[mutable.HashMap[String, AnyRef]]
  }
}
