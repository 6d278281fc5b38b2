package io.adaptivespark.join

import org.apache.spark.sql.Encoders
import org.apache.spark.sql.functions.expr
import org.scalatest.funsuite.AnyFunSuite

import io.adaptivespark.{Forms, StreamShim}

class StreamJoinSuite extends AnyFunSuite with JoinTables {

  for (aqe <- Seq("true", "false"); hint <- Seq("broadcast", "merge"))
    test(s"a stream counts its rows once, $hint, AQE $aqe", Forms.unless(aqe == "true"): _*) {
      withConf(
        "spark.sql.adaptive.enabled" -> aqe
      )(dynamic(on = true) {
        val numbers =
          StreamShim.inMemory(spark, Encoders.tuple(Encoders.scalaLong, Encoders.scalaLong))
        val query =
          numbers.toDF().where("_2 % 2 = 0").hint(hint).join(spark.table("fact"), expr("_1 = id"))
            .select("id").writeStream.format("memory").queryName(s"joined_${hint}_$aqe").start()
        try {
          numbers.addData((1 to 4).map(i => (i.toLong, i.toLong)))
          query.processAllAvailable()
          assert(spark.table(s"joined_${hint}_$aqe").count() == 2)
          assert(query.recentProgress.map(_.numInputRows).sum == 4)
          assert(filters(StreamShim.lastPlan(query)).isEmpty, StreamShim.lastPlan(query))
        } finally query.stop()
      })
    }

  for (aqe <- Seq("true", "false"))
    test(s"a stream of files counts its rows, AQE $aqe", Forms.unless(aqe == "true"): _*) {
      withConf("spark.sql.adaptive.enabled" -> aqe)(
        dynamic(on = true) {
          val query = spark.readStream.schema(spark.table("fact").schema).parquet(s"$directory/fact")
            .join(spark.table("dim").where("dep = 7").hint("merge"), expr("id = k"))
            .select("id").writeStream.format("memory").queryName(s"files_$aqe").start()
          try {
            query.processAllAvailable()
            assert(spark.table(s"files_$aqe").count() == 10)
            assert(query.recentProgress.map(_.numInputRows).sum == 200000)
            assert(filters(StreamShim.lastPlan(query)).isEmpty, StreamShim.lastPlan(query))
          } finally query.stop()
        }
      )
    }
}
