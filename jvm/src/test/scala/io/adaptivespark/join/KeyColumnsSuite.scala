package io.adaptivespark.join

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.types.{LongType, MetadataBuilder, StructField, StructType}
import org.scalatest.funsuite.AnyFunSuite

import io.adaptivespark.Forms

/** Key columns that are known by an id, by a place or in another case, or that files lack: no row is lost. */
class KeyColumnsSuite extends AnyFunSuite with KeyFiles {

  for ((strategy, conf) <- strategies) test(s"a partition that is written in another case, $strategy") {
    val plan = onAndOff(
      "SELECT count(*), sum(id) FROM fact_p JOIN dim ON P = k WHERE dep = 0 AND ks < 'key-00050000'",
      conf :+ ("spark.sql.optimizer.dynamicPartitionPruning.enabled" -> "false"): _*
    )
    assert(rowsOf(plan, "fact_p") == 60000, plan)
  }

  test("columns of Parquet that are known by their ids") {
    def field(name: String, id: Long) =
      StructField(name, LongType, metadata = new MetadataBuilder().putLong("parquet.field.id", id).build())
    withConf(
      "spark.sql.parquet.fieldId.write.enabled" -> "true",
      "spark.sql.parquet.fieldId.read.enabled" -> "true"
    ) {
      val rows = spark.range(0, 20000, 1, 1).selectExpr("id AS v", "id + 1000000 AS w").collect().toSeq
      val path = stored(
        "ids",
        "parquet",
        spark.createDataFrame(rows.asJava, StructType(Seq(field("v", 1), field("w", 2))))
      )
      spark.read.schema(StructType(Seq(field("w", 1), field("v", 2)))).parquet(path)
        .createOrReplaceTempView("renamed")
      val plan =
        onAndOff("SELECT count(*), sum(w) FROM renamed JOIN dim ON v = k + 1000000 - 1000000 WHERE dep = 0")
      assert(filters(plan).isEmpty, plan)
      stored("odd_keys", "parquet", spark.sql("SELECT 1000007L AS k, 7 AS dep"))
      assert(onAndOff("SELECT sum(w) FROM renamed JOIN odd_keys ON v = k WHERE dep = 7", noBroadcast)
        .executeCollect().head.getLong(0) == 7)
    }
  }

  for (vectorized <- Seq("true", "false"))
    test(s"columns of ORC that are known by their place, vectorized $vectorized") {
      val rows = spark.range(0, 60000, 1, 1).selectExpr("id AS v", "id + 1000000 AS w")
      val path = stored("places", "orc", rows)
      val hadoop = spark.sparkContext.hadoopConfiguration
      hadoop.set("orc.force.positional.evolution", "true")
      try withConf("spark.sql.orc.enableVectorizedReader" -> vectorized) {
          spark.read.schema("w bigint, v bigint").orc(path).createOrReplaceTempView("places")
          stored("odd_keys", "parquet", spark.sql("SELECT 1000007L AS k, 7 AS dep"))
          for ((_, conf) <- forms) {
            memory.forget()
            val plan = onAndOff("SELECT sum(w) FROM places JOIN odd_keys ON v = k WHERE dep = 7", conf: _*)
            assert(plan.executeCollect().head.getLong(0) == 7 && filters(plan).nonEmpty, plan)
            assert(rowsOf(plan, "places") < 60000, plan)
          }
        }
      finally hadoop.unset("orc.force.positional.evolution")
    }

  for (format <- Seq("parquet", "orc"); vectorized <- Seq("true", "false"))
    test(
      s"rows of files without a column have its default, $format, vectorized $vectorized",
      Forms.unless((format == "parquet") == (vectorized == "true")): _*
    ) {
      directory
      // Spark 3.5 works the default out anew for each row of ORC.
      val old = if (format == "orc" && vectorized == "false") 100 else 20000
      val all = old + 3 * old.max(1000)
      spark.sql("DROP TABLE IF EXISTS aged")
      spark.sql(s"CREATE TABLE aged (id BIGINT) USING $format OPTIONS ('orc.row.index.stride' = '1000')")
      spark.sql(s"INSERT INTO aged SELECT /*+ COALESCE(1) */ id FROM range($old)")
      spark.sql("ALTER TABLE aged ADD COLUMN v BIGINT DEFAULT 7")
      spark.sql(s"INSERT INTO aged SELECT /*+ COALESCE(1) */ id, id FROM range(${all - old})")
      stored("odd_keys", "parquet", spark.sql("SELECT 7L AS v, 7 AS dep"))
      for (together <- Seq("128MB", "64KB"); (_, conf) <- forms) {
        val reading =
          Seq(
            "spark.sql.files.maxPartitionBytes" -> together,
            s"spark.sql.$format.enableVectorizedReader" -> vectorized
          )
        memory.forget()
        val plan =
          onAndOff(
            "SELECT count(*), max(id) FROM aged JOIN odd_keys k ON aged.v = k.v WHERE dep = 7",
            conf ++ reading: _*
          )
        assert(plan.executeCollect().head.getLong(0) == old + 1 && filters(plan).nonEmpty, plan)
        assert(rowsOf(plan, "aged") < all, plan)
      }
    }
}
