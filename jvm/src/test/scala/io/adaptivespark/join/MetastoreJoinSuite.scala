package io.adaptivespark.join

import java.nio.file.Files

import org.scalatest.funsuite.AnyFunSuite

import io.adaptivespark.Forms

class MetastoreJoinSuite extends AnyFunSuite with JoinTables {
  private val metastore = Files.createTempDirectory("metastore").resolve("db")

  override protected def staticConf: Map[String, String] = Map(
    "spark.sql.catalogImplementation" -> "hive",
    "spark.hadoop.javax.jdo.option.ConnectionURL" -> s"jdbc:derby:;databaseName=$metastore;create=true",
    "spark.hadoop.hive.exec.dynamic.partition.mode" -> "nonstrict"
  )

  // A metastore can't be asked for this one.
  private val quoted = "a\"b'c"

  for (aqe <- Seq("true", "false"); (strategy, conf) <- strategies)
    test(
      s"partitions that a metastore has are compared by Spark, $strategy, AQE $aqe",
      Forms.unless((aqe == "true") == (strategy != "sort merge")): _*
    ) {
      directory
      spark.sql("DROP TABLE IF EXISTS parted")
      spark.sql("CREATE TABLE parted (v BIGINT, p STRING) USING parquet PARTITIONED BY (p)")
      spark.sql(
        "INSERT INTO parted SELECT id, IF(id % 1000 = 7, ?, concat('p', id % 10)) FROM fact",
        Array(quoted)
      )
      val plan = onAndOff(
        s"SELECT count(*), sum(v) FROM parted WHERE p IN (SELECT IF(g >= 0, ${literal(quoted)}, ks) FROM dim WHERE dep = 7)",
        conf :+ ("spark.sql.adaptive.enabled" -> aqe): _*
      )
      assert(rowsOf(plan, "parted") == 200, plan)
    }

  private def literal(text: String): String = s"'${text.replace("'", "\\'")}'"
}
