package io.adaptivespark.join.exec

import java.io.IOException

import scala.util.Try

import org.apache.spark.sql.catalyst.expressions.{Expression, UnaryExpression}
import org.apache.spark.sql.catalyst.expressions.codegen.CodegenFallback
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.exchange.ShuffleExchangeExec
import org.apache.spark.sql.functions.col
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.DataType
import org.scalatest.funsuite.AnyFunSuite

import io.adaptivespark.{Cancellable, Gate, SparkSuite}
import io.adaptivespark.conf.DynamicFilterSettings
import io.adaptivespark.join.keys.{KeyDomain, KeyLimits, LongCollector}
import io.adaptivespark.join.keys.testing.ColumnKeys

/** Queries that ask for the keys of one build side at the same time, and how each of them ends. */
class KeysOfBuildSuite extends AnyFunSuite with SparkSuite with Cancellable {
  import KeysOfBuildSuite._

  private def shuffle(of: org.apache.spark.sql.Column): ShuffleExchangeExec =
    withConf(SQLConf.ADAPTIVE_EXECUTION_ENABLED.key -> "false") {
      val query = spark.range(0, 100, 1, 2).select(of.as("k")).repartition(2, col("k"))
      query.queryExecution.executedPlan.collectFirst { case exchange: ShuffleExchangeExec => exchange }.get
    }

  private def read(build: SparkPlan, key: Expression, query: Option[Long]): ReadKeys.Read = {
    val source = KeySource(Seq(BuildKey(0, 0)))("signature")
    new ReadKeys(false, DynamicFilterSettings.in(SQLConf.get), query)(
      Seq(build),
      Seq(Seq(key)),
      Seq(source)
    ).head
  }

  private def isAll(keys: Try[ReadKeys.Read]): Boolean = keys.toOption.exists(_.exists(_.distinct == 100))

  test("a query that asks for keys which another one reads ends when it is cancelled") {
    val build = shuffle(col("id"))
    val key = Held(build.output.head)
    gate.hold()
    try {
      val first = running("first")(read(build, key, Some(1)))
      assert(happens(gate.came))
      val second = running("second")(read(build, key, Some(2)))
      assert(happens(gate.came), "it does not wait for the first")
      cancelJobs("second")
      assert(isCancelled(second.get) && !first.hasEnded)
      gate.open()
      assert(isAll(first.get))
    } finally gate.open()
  }

  test("a query gets keys though another one that reads them is cancelled") {
    val build = shuffle(col("id"))
    val key = Held(build.output.head)
    gate.hold()
    try {
      val first = running("cancelled")(read(build, key, Some(3)))
      assert(happens(gate.came))
      val second = running("kept")(read(build, key, Some(4)))
      assert(happens(gate.came))
      cancelJobs("cancelled")
      assert(isCancelled(first.get))
      gate.open()
      assert(isAll(second.get))
    } finally gate.open()
  }

  private def keys(of: Long): ColumnKeys = {
    val collector = KeyDomain.of(org.apache.spark.sql.types.LongType).get.collector(KeyLimits())
    collector.asInstanceOf[LongCollector].add(of)
    new ColumnKeys(org.apache.spark.sql.types.LongType, collector.summary)
  }

  test("a query reads each key once, and what one query has read another one gets") {
    val of = new KeysOfBuild
    gate.hold()
    try {
      val first = running("once")(of.of(Seq(1, 2), "query") { missing =>
        gate.pass(); missing.map(k => keys(k.toLong))
      })
      assert(happens(gate.came))
      var read = Seq.empty[Int]
      val second = running("once")(of.of(Seq(2, 3), "query") { missing =>
        read = missing; missing.map(k => keys(k.toLong))
      })
      gate.open()
      val (some, others) = (first.get.get, second.get.get)
      assert(some(1) eq others(0))
      assert(read == Seq(3))
      assert(of.of(Seq(3, 1), "another")(_ => fail("nothing is missing")) == Seq(others(1), some(0)))
    } finally gate.open()
  }

  test("who waits for keys of the same query ends with an interrupt, and with an error of the reading") {
    val of = new KeysOfBuild
    gate.hold()
    try {
      val first = running("reads")(of.of(Seq(1), "query") { _ => gate.pass(); throw new IOException("lost") })
      assert(happens(gate.came))
      val second = running("interrupted")(of.of(Seq(1), "query")(_ => Seq(keys(1))))
      second.thread.interrupt()
      assert(second.get.failed.get.getMessage.contains("InterruptedException"))
      gate.open()
      assert(first.get.failed.get.getMessage.contains("lost"))
      assert(of.of(Seq(1), "query")(_ => Seq(keys(1))).size == 1, "it is read anew")
    } finally gate.open()
  }
}

object KeysOfBuildSuite {
  private val gate = new Gate

  /** A key whose evaluation waits while a test holds it. */
  private case class Held(child: Expression) extends UnaryExpression with CodegenFallback {
    override def dataType: DataType = child.dataType
    override protected def nullSafeEval(value: Any): Any = {
      gate.pass()
      value
    }
    override protected def withNewChildInternal(newChild: Expression): Held = copy(child = newChild)
  }
}
