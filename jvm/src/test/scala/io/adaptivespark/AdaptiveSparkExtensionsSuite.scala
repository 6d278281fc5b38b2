package io.adaptivespark

import org.apache.spark.sql.SparkSessionExtensions
import org.scalatest.funsuite.AnyFunSuite

class AdaptiveSparkExtensionsSuite extends AnyFunSuite with SparkSuite {

  test("adaptive_spark_version() is the version of the build") {
    assert(spark.sql("SELECT adaptive_spark_version()").head().getString(0) == Build.version)
    assert(Build.version.nonEmpty && !Build.version.contains("$"))
  }

  test("applying the extension twice injects once") {
    var injected = 0
    val extensions = new SparkSessionExtensions {
      override def injectColumnar(builder: ColumnarRuleBuilder): Unit = injected += 1
    }
    new AdaptiveSparkExtensions().apply(extensions)
    new AdaptiveSparkExtensions().apply(extensions)
    assert(injected == 1)
  }

  test("a Spark line that the jar was not built for gets a sentence with the remedy") {
    val sentence = Build.mismatch("3.5.9").get
    assert(sentence.contains(s"was built for Spark ${Build.sparkLine}") &&
      sentence.contains("inactive on Spark 3.5.9"))
    assert(sentence.contains("adaptive-spark_3.5_<scala>.jar"))
    assert(Build.mismatch(Build.sparkLine + ".7").isEmpty)
  }
}
