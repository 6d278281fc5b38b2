package io.adaptivespark

import org.scalatest.Suite

/** A session that generates no code, for suites about what is read, written, planned or known: each query is another
  * one, and to compile it takes longer than to run it.
  */
trait Interpreted extends SparkSuite { this: Suite =>

  override protected def staticConf: Map[String, String] = super.staticConf ++ Map(
    "spark.sql.codegen.wholeStage" -> "false",
    "spark.sql.codegen.factoryMode" -> "NO_CODEGEN"
  )
}
