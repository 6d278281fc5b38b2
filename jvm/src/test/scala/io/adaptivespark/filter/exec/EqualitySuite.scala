package io.adaptivespark.filter.exec

import java.nio.file.Files
import java.util.concurrent.atomic.AtomicInteger

import scala.util.Random

import org.apache.spark.sql.{DataFrame, SparkSession}
import org.apache.spark.sql.catalyst.expressions.{And, Expression}
import org.apache.spark.sql.execution.{ColumnarToRowExec, FileSourceScanExec, InputAdapter, SparkPlan}
import org.apache.spark.sql.internal.SQLConf
import org.scalatest.funsuite.AnyFunSuite

import io.adaptivespark.{Forms, InParallel, Seeds, SparkSuite}
import io.adaptivespark.filter.plan.OptimizedConditions
import io.adaptivespark.filter.safety.ExtremeValues
import io.adaptivespark.shim.SessionShim.Local

/** Random predicate trees: the three forms keep the rows of Spark's filter in their order, and raise no error that it
  * does not; under `exact` the same, after the same rows.
  *
  * `TREES` says how many for each of ANSI on and off. They come in chunks, each from a seed of its own. A chunk's
  * first tree goes through Spark jobs over a Parquet file, the others over the same table in memory.
  */
class EqualitySuite extends AnyFunSuite with SparkSuite {
  import EqualitySuite._

  private lazy val chunks =
    sys.env.get("TREES").fold(if (Forms.all) 2 * fewChunks else fewChunks)(trees =>
      (trees.toInt / Chunk).max(1)
    )

  /** Of `make test`. */
  protected def fewChunks: Int = 4

  private def session = spark.asInstanceOf[Local]

  /** `id`, and columns of [[ExtremeValues]]. */
  protected def filled: DataFrame =
    spark.range(0, TableSize.toLong, 1, 1).selectExpr(ExtremeValues.selected: _*)

  /** What jobs scan. */
  protected def scan: SparkPlan = parquet

  /** What a tree in the calling thread scans. */
  protected def inThread(random: Random): SparkPlan = inMemory(random.nextInt(inMemory.size))

  /** What the format of the table asks of each row beside the tree. */
  protected def ofFormat: Seq[Expression] = Nil

  /** The number of rows that a scan has. */
  protected def tableSize: Int = TableSize

  private lazy val table = {
    val path = Files.createTempDirectory("equality").resolve("t").toString
    filled.write.parquet(path)
    spark.read.parquet(path)
  }
  private lazy val parquet = table.queryExecution.sparkPlan.collectFirst { case s: FileSourceScanExec =>
    s
  }.get
  private lazy val inMemory = {
    val rows = table.queryExecution.executedPlan.executeCollect().toSeq
    (1L to 4L).map(seed => MemoryScanExec(parquet.output, rows, BatchSizes, new Random(seed)))
  }

  for (ansi <- Seq("true", "false"))
    test(s"random trees keep their rows in every form (ANSI $ansi)") {
      withConf("spark.sql.ansi.enabled" -> ansi) {
        val conditions = new OptimizedConditions(session, table.queryExecution.analyzed, scan.output)
        val sessions = newSessions(ansi)
        val done = new AtomicInteger
        val loader = new RememberingClassLoader(Thread.currentThread.getContextClassLoader)
        inThread(Seeds.random(0)) // before threads wait for each other to have it
        val faults = InParallel(Seeds.of(chunks)) { seed =>
          Thread.currentThread.setContextClassLoader(loader)
          val found = faultsOfChunk(seed, conditions, sessions)
          val trees = done.incrementAndGet() * Chunk
          if (trees % Progress == 0) note(s"$trees trees")
          found
        }.flatten
        info(s"${done.get * Chunk} trees from seed ${Seeds.first}, ${faults.size} differences")
        assert(faults.isEmpty, faults.take(5).mkString("\n"))
      }
    }

  private def faultsOfChunk(
      seed: Long,
      conditions: OptimizedConditions,
      sessions: IndexedSeq[Local]
  ): Seq[String] = {
    val random = Seeds.random(seed)
    val texts = new RandomCondition(random, table.columns.toSet)
    def some = conditions.of(Seq.fill(Together)(texts.next()))
      .map(tree => (ofFormat :+ tree).reduce(And)).filter(FilterForms.mayReplace(_, exact = false))
    Iterator.continually(within(session)(some)).flatten.take(Chunk).zipWithIndex.flatMap {
      case (condition, at) =>
        within(sessions(random.nextInt(sessions.size)))(forms(at == 0, random).faults(condition))
    }.map(fault => s"Seed $seed: $fault").toSeq
  }

  private def forms(job: Boolean, random: Random): FilterForms = {
    val read = if (job) scan else inThread(random)
    val batches = InputAdapter(read)
    val hasRows = read.isInstanceOf[MemoryScanExec] && random.nextInt(4) == 0
    val rows = if (hasRows) batches else ColumnarToRowExec(batches)
    new FilterForms(batches, rows, tableSize, if (job) AsJob else InThread, random)
  }

  /** Sessions that differ in what Spark reads of its conf when it generates code; most are as Spark is by default, with
    * predicates that are interpreted.
    */
  private def newSessions(ansi: String): IndexedSeq[Local] =
    for (shared <- Vector(true, true, false); interpreted <- Seq.fill(7)(true) :+ false) yield {
      val other = session.newSession()
      other.conf.set("spark.sql.ansi.enabled", ansi)
      other.conf.set("spark.sql.codegen.fallback", "false")
      other.conf.set("spark.sql.codegen.factoryMode", if (interpreted) "NO_CODEGEN" else "FALLBACK")
      other.conf.set("spark.sql.subexpressionElimination.filterExec.enabled", shared)
      other
    }

  private def within[T](session: Local)(body: => T): T = {
    SparkSession.setActiveSession(session)
    SQLConf.withExistingConf(session.sessionState.conf)(body)
  }
}

private object EqualitySuite {
  private val Chunk = 50
  private val Together = 25
  private val Progress = 10000
  private val BatchSizes = Seq(0, 1, 60, 128, 11, 100)
  private val TableSize = BatchSizes.sum
}
