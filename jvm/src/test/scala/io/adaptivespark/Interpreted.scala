package io.adaptivespark

import org.scalatest.Suite

/** A session that generates no code, for suites about what is read, written, planned or known: each query is another
  * one, and to compile it takes longer than to run it.
  */
trait Interpreted extends SparkSuite { this: Suite =>
  override protected def staticConf: Map[String, String] = super.staticConf ++ Interpreted.conf(isOn = true)
}

object Interpreted {

  /** Confs by which queries generate no code, if it is on, or all the code that they do by default. */
  def conf(isOn: Boolean): Seq[(String, String)] = Seq(
    "spark.sql.codegen.wholeStage" -> (!isOn).toString,
    "spark.sql.codegen.factoryMode" -> (if (isOn) "NO_CODEGEN" else "FALLBACK")
  )
}
