package io.adaptivespark.shim

import java.util.ArrayList

import org.apache.spark.sql.execution.SparkPlan

/** An operator that EXPLAIN and the Spark UI may show as another.
  *
  * Spark 4.1 added an argument to the method that writes a tree.
  */
private[adaptivespark] trait ShownAs extends SparkPlan {

  /** The operator to show in place of this one; none for this one itself. */
  protected def shownAs: Option[SparkPlan]

  override def generateTreeString(
      depth: Int,
      lastChildren: ArrayList[Boolean],
      append: String => Unit,
      verbose: Boolean,
      prefix: String,
      addSuffix: Boolean,
      maxFields: Int,
      printNodeId: Boolean,
      indent: Int
  ): Unit = shownAs match {
    case Some(other) => other.generateTreeString(
        depth,
        lastChildren,
        append,
        verbose,
        prefix,
        addSuffix,
        maxFields,
        printNodeId,
        indent
      )
    case None => super.generateTreeString(
        depth,
        lastChildren,
        append,
        verbose,
        prefix,
        addSuffix,
        maxFields,
        printNodeId,
        indent
      )
  }
}
