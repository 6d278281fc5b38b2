package io.adaptivespark

import java.nio.file.Files

import scala.collection.mutable.ArrayBuffer
import scala.reflect.ClassTag
import scala.util.Try

import org.apache.logging.log4j.{Level, LogManager}
import org.apache.logging.log4j.core.{LogEvent, Logger}
import org.apache.logging.log4j.core.appender.AbstractAppender
import org.apache.logging.log4j.core.config.Property
import org.apache.spark.sql.{DataFrame, Row, SparkSession}
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.adaptive.AdaptiveSparkPlanHelper
import org.scalatest.{Assertion, BeforeAndAfterAll, Suite}

import io.adaptivespark.conf.AdaptiveSparkConf
import io.adaptivespark.history.DriverMemory

/** A local session with the extension, one for each suite. */
trait SparkSuite extends BeforeAndAfterAll with AdaptiveSparkPlanHelper { this: Suite =>

  /** Conf that only a new session takes. */
  protected def staticConf: Map[String, String] = Map.empty

  protected lazy val spark: SparkSession = SparkSession.builder
    .master("local[2]")
    .config("spark.sql.extensions", classOf[AdaptiveSparkExtensions].getName)
    .config("spark.ui.enabled", "false")
    .config("spark.sql.shuffle.partitions", "2")
    .config("spark.sql.catalogImplementation", "in-memory")
    .config("spark.sql.warehouse.dir", Files.createTempDirectory("warehouse").toString)
    .config(SparkSuite.DefaultsSince4)
    .config(staticConf)
    .getOrCreate()

  override protected def afterAll(): Unit = {
    spark.stop()
    super.afterAll()
  }

  /** True if this line's parser takes `sql`. */
  protected def parses(sql: String): Boolean = Try(spark.sessionState.sqlParser.parsePlan(sql)).isSuccess

  protected def memory: DriverMemory = DriverMemory.of(spark.sparkContext)

  /** Runs `body` with session keys set, and puts them back. */
  protected def withConf[T](settings: (String, String)*)(body: => T): T = {
    val before = settings.map { case (key, _) => key -> spark.conf.getOption(key) }
    settings.foreach { case (key, value) => spark.conf.set(key, value) }
    try body
    finally before.foreach { case (key, value) => value.fold(spark.conf.unset(key))(spark.conf.set(key, _)) }
  }

  protected def adaptive[T](on: Boolean)(body: => T): T =
    withConf(AdaptiveSparkConf.Enabled.name -> on.toString)(body)

  /** The plan that ran, under AQE the final one. */
  protected def executed(query: DataFrame): SparkPlan = {
    query.collect()
    query.queryExecution.executedPlan
  }

  protected def sorted(query: DataFrame): Seq[String] =
    query.collect().toSeq.map((row: Row) => row.toString).sorted

  /** Asserts that `body` fails by an error of this class, which Spark 3.5 wraps in another where a task raises it. */
  protected def raises[E <: Throwable: ClassTag](body: => Any): Assertion = {
    val error = intercept[Throwable](body)
    val all = Iterator.iterate(error)(_.getCause).takeWhile(_ != null).toSeq
    assert(all.exists(implicitly[ClassTag[E]].runtimeClass.isInstance), all.mkString("; "))
  }

  /** What `body` logs as warnings, Spark's own among them. */
  protected def warnings(body: => Unit): Seq[String] = {
    val seen = ArrayBuffer.empty[String]
    val root = LogManager.getRootLogger.asInstanceOf[Logger]
    val appender = new AbstractAppender("warnings", null, null, true, Property.EMPTY_ARRAY) {
      override def append(event: LogEvent): Unit = seen.synchronized {
        if (event.getLevel == Level.WARN) seen += event.getMessage.getFormattedMessage
      }
    }
    appender.start()
    val before = root.getLevel
    root.addAppender(appender)
    root.setLevel(Level.WARN)
    try body
    finally {
      root.setLevel(before)
      root.removeAppender(appender)
    }
    seen.synchronized(seen.toSeq)
  }
}

private[adaptivespark] object SparkSuite {

  /** What a session without the extension's work has off. */
  val Features: Seq[String] = Seq("spark.sql.adaptiveFilter.enabled", "spark.sql.dynamicFilter.enabled")

  /** A query without hints, which turn a filter on where its conf is off. */
  def withoutHints(query: String): String = query.replaceAll("/\\*\\+.*?\\*/", "")

  /** Defaults of Spark 4, which a session of 3.5 is given, too. */
  val DefaultsSince4: Map[String, String] = Map(
    "spark.sql.ansi.enabled" -> "true",
    "spark.sql.legacy.timeParserPolicy" -> "CORRECTED"
  ) ++
    (for (mode <- Seq("datetime", "int96"); way <- Seq("Read", "Write"))
      yield s"spark.sql.parquet.${mode}RebaseModeIn$way" -> "CORRECTED")
}
