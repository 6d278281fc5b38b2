package io.adaptivespark

import java.util.{Collections, WeakHashMap}

import scala.runtime.AbstractFunction1

import org.apache.spark.sql.SparkSessionExtensions
import org.apache.spark.sql.catalyst.FunctionIdentifier
import org.apache.spark.sql.catalyst.expressions.{Expression, ExpressionInfo}
import org.slf4j.LoggerFactory

import io.adaptivespark.conf.Build

/** The entry point: `spark.sql.extensions=io.adaptivespark.AdaptiveSparkExtensions`.
  *
  * Where the jar can't work, nothing is injected but the version function, which fails with the reason. This class and
  * [[Build]] therefore run on Sparks that the jar is not built for: they use nothing that Spark or Scala's library
  * changed between Spark 3 with Scala 2.12 and today, and name [[Injections]], which does, only as text.
  */
class AdaptiveSparkExtensions extends AbstractFunction1[SparkSessionExtensions, Unit] {
  import AdaptiveSparkExtensions._

  override def apply(extensions: SparkSessionExtensions): Unit =
    if (seen.add(extensions)) {
      // no lambda: what Scala 2.12 makes of one needs a class that 2.13 lacks
      val mismatch = Build.mismatch()
      val fault = if (mismatch.isEmpty) loadingFault() else mismatch
      if (fault.isEmpty) injections()(extensions) else refuse(extensions, fault.get)
    }

  private def loadingFault(): Option[String] =
    try {
      OwnClasses.load()
      None
    } catch {
      case error: LinkageError =>
        Some(
          s"adaptive-spark ${Build.version} is inactive: this Spark lacks what its classes need ($error). " +
            s"It is built for Apache Spark ${Build.sparkLine}."
        )
    }

  private def injections(): SparkSessionExtensions => Unit =
    Class.forName("io.adaptivespark.Injections").getDeclaredConstructor().newInstance()
      .asInstanceOf[SparkSessionExtensions => Unit]

  private def refuse(extensions: SparkSessionExtensions, reason: String): Unit = {
    LoggerFactory.getLogger(getClass).warn(reason)
    extensions.injectFunction((
      new FunctionIdentifier(VersionFunction),
      new ExpressionInfo(getClass.getName, VersionFunction),
      new Refusal(reason)
    ))
  }
}

private object AdaptiveSparkExtensions {
  val VersionFunction = "adaptive_spark_version"

  // The conf and the service provider may both name the extension. Spark then applies it twice to the same
  // object.
  private val seen = Collections.synchronizedSet(Collections.newSetFromMap(new WeakHashMap[
    SparkSessionExtensions,
    java.lang.Boolean
  ]))

  /** The version function of a jar that can't work. */
  final private class Refusal(reason: String) extends AbstractFunction1[AnyRef, Expression] {
    override def apply(arguments: AnyRef): Expression =
      throw new UnsupportedOperationException(reason)
  }
}
