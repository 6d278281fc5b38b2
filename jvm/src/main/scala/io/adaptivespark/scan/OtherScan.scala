package io.adaptivespark.scan

import org.apache.spark.sql.execution.{DataSourceScanExec, SparkPlan}

/** Any other operator. If it is the scan of a table, its name is known, and no more. */
private[scan] class OtherScan(override val scan: SparkPlan) extends ScanKind {
  import OtherScan.Hive

  override def table: Option[String] = scan match {
    case source: DataSourceScanExec => source.tableIdentifier.map(_.unquotedString)
    case hive if hive.nodeName.startsWith(Hive) => Some(hive.nodeName.stripPrefix(Hive))
    case _ => None
  }

  override def relativeName: String = scan match {
    case source: DataSourceScanExec => source.tableIdentifier.fold(source.nodeName)(_.table)
    case _ => super.relativeName
  }
}

private object OtherScan {

  // A table of Hive's own formats is read by an operator of a module that may be absent.
  private val Hive = "Scan hive "
}
