package io.adaptivespark.conf

import org.apache.spark.sql.catalyst.TableIdentifier
import org.apache.spark.sql.internal.SQLConf
import org.scalatest.funsuite.AnyFunSuite

import io.adaptivespark.SparkSuite

class AdaptiveSparkConfSuite extends AnyFunSuite with SparkSuite {

  for (
    (key, value, allowed) <- Seq(
      ("adaptiveFilter.momentum", "1.5", "a number in [0, 1]"),
      ("adaptiveFilter.momentum", "NaN", "a number in [0, 1]"),
      ("adaptiveFilter.collectRate", "0", "auto or a whole number in [1, 2147483647]"),
      ("adaptiveFilter.calculateRate", "-5", "auto or a whole number in [1, 2147483647]"),
      ("adaptiveFilter.errors", "sometimes", "one of guarded, exact"),
      ("adaptiveFilter.enabled", "perhaps", "true or false"),
      ("dynamicFilter.maxRanges", "4097", "a whole number in [1, 4096]"),
      ("dynamicFilter.maxBuildSize", "9999999p", "a number of bytes such as 512k, 256m or 1g"),
      ("adaptiveStatistics.sample", "0", "a number in [0.001, 1]"),
      ("adaptiveStatistics.histogramColumns", "id", "a JSON list of names")
    )
  )
    test(s"SET refuses $key = $value and says what is allowed") {
      val error = intercept[IllegalArgumentException](spark.sql(s"SET spark.sql.$key=$value"))
      for (part <- Seq(s"spark.sql.$key", value, s"It must be $allowed. Leave it out for the default, "))
        assert(error.getMessage.contains(part))
    }

  test("a text that was set before the key was known is refused when it is read, with its bounds") {
    val conf = new SQLConf
    conf.setConfString("x.momentum", "2")
    val key = AdaptiveSparkConf.Momentum.copy(name = "x.momentum")
    val error = intercept[IllegalArgumentException](key.in(conf))
    assert(
      error.getMessage ==
        "x.momentum: 2 is refused. It must be a number in [0, 1]. Leave it out for the default, 0.3."
    )
  }

  test("every default is a value, and blanks around a value do not count") {
    AdaptiveSparkConf.all.foreach(key => assert(key.allows(key.default) && key.allows(s" ${key.default}\n")))
  }

  test("a key that does not exist fails the query and names the ones that do") {
    withConf("spark.sql.adaptiveFilter.momentun" -> "0.3") {
      val error = intercept[IllegalArgumentException](spark.range(10).filter("id > 3 AND id < 8").collect())
      assert(error.getMessage.contains("momentun is not a configuration"))
      assert(error.getMessage.contains("spark.sql.adaptiveFilter.momentum"))
    }
  }

  for (key <- Seq("spark.sql.adaptivefilter.momentum", "spark.sql.dynamicFILTER.enabled"))
    test(s"$key, in another case than its namespace, fails the query") {
      withConf(key -> "0.5") {
        val error =
          intercept[IllegalArgumentException](spark.range(10).filter("id > 3 AND id < 8").collect())
        assert(error.getMessage.contains(s"$key is not a configuration of adaptive-spark"))
      }
    }

  test("SET takes auto where it is a rate") {
    withConf(
      "spark.sql.adaptiveFilter.collectRate" -> "auto",
      "spark.sql.adaptiveFilter.calculateRate" -> "AUTO"
    ) {
      assert(AdaptiveSparkConf.CollectRate.in(spark.sessionState.conf) == Rate.auto)
      assert(AdaptiveSparkConf.CalculateRate.in(spark.sessionState.conf) == Rate.auto)
    }
  }

  test("a view that is made in a run keeps nothing of the run") {
    val ofRun = Seq("queryTag", "runId").map("spark.sql.adaptiveFilter." + _ -> "some text")
    withConf(ofRun :+ ("spark.sql.adaptiveFilter.momentum" -> "0.4"): _*) {
      spark.sql("CREATE OR REPLACE VIEW made_in_a_run AS SELECT id FROM range(5) WHERE id > 2 AND id < 4")
      try {
        val properties =
          spark.sessionState.catalog.getTableMetadata(TableIdentifier("made_in_a_run")).properties
        assert(
          properties.keys.exists(_.endsWith("spark.sql.adaptiveFilter.momentum")),
          "what Spark knows it keeps"
        )
        assert(!properties.values.exists(_.contains("some text")), properties)
        assert(spark.table("made_in_a_run").count() == 1)
      } finally spark.sql("DROP VIEW made_in_a_run")
    }
  }

  test("registering twice keeps the keys") {
    AdaptiveSparkConf.register()
    assert(spark.conf.get("spark.sql.adaptiveFilter.collectRate") == "1000")
  }

  test("the generated documentation has a section for every key, with its default and its doc") {
    val sections = ConfigDocs.markdown.split("\n## ").tail.toSeq
    assert(sections.map(_.linesIterator.next()) == AdaptiveSparkConf.all.map(_.name))
    AdaptiveSparkConf.all.zip(sections).foreach { case (key, section) =>
      val default = if (key.default.toString.isEmpty) "empty" else s"`${key.default}`"
      assert(section.contains(s" | $default | ") && section.replace('\n', ' ').contains(key.doc))
      assert(section.linesIterator.forall(line => line.length <= 100 || line.startsWith("|")))
    }
    val configs: Seq[Any] = (ConfigDocs.json \ "model_config").children.map(_.values)
    for (name <- Seq("collect_rate", "policy", "initial_order", "errors")) assert(configs.contains(name))
  }
}
