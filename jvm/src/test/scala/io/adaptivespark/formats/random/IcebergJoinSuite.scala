package io.adaptivespark.formats.random

import io.adaptivespark.formats.IcebergSuite
import io.adaptivespark.join.RandomJoinSuite
import io.adaptivespark.join.random.{RandomQuery, RandomTables}

/** The joins of [[RandomJoinSuite]] over tables of Iceberg, which have position deletes, and bounds in manifests. */
class IcebergJoinSuite extends RandomJoinSuite with IcebergSuite {
  override protected def staticConf: Map[String, String] =
    super.staticConf + ("spark.sql.defaultCatalog" -> catalog)

  override protected def scans: Seq[String] = Seq(RandomTables.Iceberg)

  override protected def overScans(query: RandomQuery): RandomQuery = query.over(RandomTables.Iceberg)
}
