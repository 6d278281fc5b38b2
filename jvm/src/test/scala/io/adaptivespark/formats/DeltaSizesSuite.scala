package io.adaptivespark.formats

import org.apache.spark.sql.catalyst.TableIdentifier
import org.apache.spark.sql.catalyst.catalog.CatalogStatistics
import org.apache.spark.sql.execution.joins.BroadcastHashJoinExec
import org.scalatest.funsuite.AnyFunSuite

/** Joins of Delta tables are planned by the sizes that Delta Lake knows, and not by those of a metastore. */
class DeltaSizesSuite extends AnyFunSuite with DeltaSuite {
  private val name = TableIdentifier("grown", Some("default"))

  private lazy val table: Unit = {
    spark.sql("CREATE TABLE grown USING delta AS SELECT id FROM range(10)")
    spark.sql("INSERT INTO grown SELECT id FROM range(100000)")
  }

  // as Hive's metastore has them of a table that it was told of with ten rows
  private def store(found: CatalogStatistics): Unit = {
    table
    spark.sessionState.catalog.alterTableStats(name, Some(found))
  }

  private def size: BigInt = spark.table("grown").queryExecution.optimizedPlan.stats.sizeInBytes

  Seq(CatalogStatistics(500), CatalogStatistics(500, Some(0))).foreach { found =>
    test(s"a table has grown since ${found.simpleString} were noted") {
      store(found)
      val known = spark.sql("DESCRIBE DETAIL grown").head().getAs[Long]("sizeInBytes")
      assert(known > 100000 && size == known)
      assert(spark.sessionState.catalog.getTableMetadata(name).stats.contains(found))
      withConf("spark.sql.autoBroadcastJoinThreshold" -> "10000") {
        val plan = planAsStock("SELECT l.id FROM grown l JOIN grown r ON l.id = r.id + 99990")
        assert(collectWithSubqueries(plan) { case join: BroadcastHashJoinExec => join }.isEmpty)
      }
    }
  }

  test("statistics that have rows are kept") {
    store(CatalogStatistics(500, Some(7)))
    assert(size == 500)
  }
}
