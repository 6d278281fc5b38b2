package io.adaptivespark.filter

import java.nio.file.Files
import java.util.concurrent.{Callable, Executors}
import java.util.concurrent.atomic.AtomicInteger

import scala.jdk.CollectionConverters._
import scala.util.{Random, Try}

import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression}
import org.apache.spark.sql.catalyst.expressions.codegen.CodegenFallback
import org.apache.spark.sql.catalyst.plans.logical.{Filter, Union}
import org.apache.spark.sql.classic
import org.apache.spark.sql.execution._
import org.apache.spark.sql.internal.SQLConf
import org.scalatest.funsuite.AnyFunSuite

import io.adaptivespark.SparkSuite

/** Random predicate trees: the three forms keep the rows of Spark's filter in their order, and raise no error that it does not; under `exact` the same
  * one, after the same rows.
  *
  * `EQUALITY_TREES` says how many for each of ANSI on and off. They come in chunks, each of a seed of its own, the first `EQUALITY_SEED`; a chunk's first
  * tree goes through Spark jobs over Parquet.
  */
class EqualitySuite extends AnyFunSuite with SparkSuite {
  private val trees = sys.env.get("EQUALITY_TREES").fold(400)(_.toInt)
  private val firstSeed = sys.env.get("EQUALITY_SEED").fold(0L)(_.toLong)
  private val (rowCount, chunk, together, progress) = (300, 50, 25, 500)

  private def session = spark.asInstanceOf[classic.SparkSession]

  private lazy val table = {
    val path = Files.createTempDirectory("equality").resolve("t").toString
    spark.range(0, rowCount.toLong, 1, 1).selectExpr(ExtremeValues.selected: _*).write.parquet(path)
    spark.read.parquet(path)
  }
  private lazy val parquet = table.queryExecution.sparkPlan.collectFirst { case s: FileSourceScanExec =>
    s
  }.get
  private lazy val inMemory = {
    val rows = table.queryExecution.executedPlan.executeCollect().toSeq
    (1 to 4).map(seed =>
      MemoryScanExec(parquet.output, rows, Seq(0, 1, 60, 128, 11, 100), new Random(seed.toLong))
    )
  }

  for (ansi <- Seq("true", "false"))
    test(s"random trees keep their rows in every form (ANSI $ansi)") {
      withConf("spark.sql.ansi.enabled" -> ansi) {
        val sessions = newSessions(ansi)
        val chunks = math.max(1, trees / chunk)
        val done = new AtomicInteger
        val faults = inParallel((0 until chunks).map { at => () =>
          val found = ofChunk(firstSeed + at, sessions)
          val soFar = done.incrementAndGet() * chunk
          if (soFar % progress == 0) note(s"$soFar trees")
          found
        })
        info(s"${chunks * chunk} trees, ${faults.size} differences")
        assert(faults.isEmpty, faults.take(5).mkString("\n"))
      }
    }

  private def inParallel[T](tasks: Seq[() => Seq[T]]): Seq[T] = {
    inMemory
    val loader = new RememberingClassLoader(Thread.currentThread.getContextClassLoader)
    val pool = Executors.newFixedThreadPool(Runtime.getRuntime.availableProcessors)
    try
      pool.invokeAll(tasks.map { task =>
        new Callable[Seq[T]] {
          override def call(): Seq[T] = {
            Thread.currentThread.setContextClassLoader(loader)
            within(session)(task())
          }
        }
      }.asJava).asScala.toSeq.flatMap(_.get)
    finally pool.shutdownNow()
  }

  private def ofChunk(seed: Long, sessions: IndexedSeq[classic.SparkSession]): Seq[String] = {
    val random = new Random(seed)
    val texts = new RandomCondition(random)
    val conditions =
      Iterator.continually(optimized(Seq.fill(together)(texts.next()))).flatten.filter(mayReplace).take(chunk)
    conditions.zipWithIndex.flatMap { case (condition, at) =>
      within(sessions(random.nextInt(sessions.size))) {
        forms(at == 0, random).faults(condition).map(fault => s"seed $seed, $fault")
      }
    }.toSeq
  }

  private def forms(job: Boolean, random: Random): FilterForms =
    if (job) {
      val scan = InputAdapter(parquet)
      new FilterForms(scan, ColumnarToRowExec(scan), rowCount, AsJob, random)
    } else {
      val scan = InputAdapter(inMemory(random.nextInt(inMemory.size)))
      val asRows = if (random.nextInt(4) == 0) scan else ColumnarToRowExec(scan)
      new FilterForms(scan, asRows, rowCount, InThread, random)
    }

  /** Sessions that differ in what plans read from their session's conf, most of them as Spark is by default. */
  private def newSessions(ansi: String): IndexedSeq[classic.SparkSession] =
    for (shared <- Vector("true", "true", "false"); predicates <- Seq.fill(7)("NO_CODEGEN") :+ "FALLBACK")
      yield {
        val other = session.newSession()
        other.conf.set("spark.sql.ansi.enabled", ansi)
        other.conf.set("spark.sql.codegen.fallback", "false")
        other.conf.set("spark.sql.subexpressionElimination.filterExec.enabled", shared)
        other.conf.set("spark.sql.codegen.factoryMode", predicates)
        other
      }

  private def within[T](session: classic.SparkSession)(body: => T): T = {
    classic.SparkSession.setActiveSession(session)
    SQLConf.withExistingConf(session.sessionState.conf)(body)
  }

  // Spark keeps an expression without generated code out of stages of generated code.
  private def mayReplace(condition: Expression): Boolean =
    !condition.exists(_.isInstanceOf[CodegenFallback]) && FilterForms.reorders(condition, exact = false)

  /** The conditions as Spark's optimizer leaves them: some in one plan, since its time is in walking rules. */
  private def optimized(texts: Seq[String]): Seq[Expression] = {
    val parser = session.sessionState.sqlParser
    val filters = Try(texts.map(text => Filter(parser.parseExpression(text), table.queryExecution.analyzed)))
    filters.flatMap(of => Try(session.sessionState.executePlan(Union(of)).optimizedPlan)).fold(
      _ =>
        if (texts.size == 1) Nil
        else {
          val (some, others) = texts.splitAt(texts.size / 2)
          optimized(some) ++ optimized(others)
        },
      _.collect { case Filter(condition, _) => overScan(condition) }
    )
  }

  private lazy val columns = parquet.output.map(a => a.name -> a).toMap

  private def overScan(condition: Expression): Expression = condition.transform {
    case a: Attribute => columns(a.name).withNullability(a.nullable)
  }
}
