package io.adaptivespark.history

import java.nio.file.Files
import java.util.concurrent.{LinkedBlockingQueue, ThreadPoolExecutor}

import scala.concurrent.{Await, ExecutionContext, Future}
import scala.concurrent.duration._

import org.apache.spark.sql.{Row, SparkSession}
import org.apache.spark.sql.catalyst.CurrentUserContext.CURRENT_USER
import org.scalatest.funsuite.AnyFunSuite

import io.adaptivespark.{AdaptiveSparkExtensions, SparkSuite}
import io.adaptivespark.conf.AdaptiveSparkConf
import io.adaptivespark.filter.exec.AdaptiveFilter

/** Whose rows a session sees, and how long the driver remembers them. */
class DriverMemorySuite extends AnyFunSuite with SparkSuite {
  import DriverMemorySuite._

  private lazy val folder = Files.createTempDirectory("users")

  private lazy val tables: Unit = {
    spark.range(0, 200000, 1, 4).selectExpr("id", "id % 7 AS k").write.parquet(s"$folder/fact")
    spark.range(0, 400).selectExpr("id * 3 AS k", "id % 40 AS dep").write.parquet(s"$folder/dim")
    spark.read.parquet(s"$folder/fact").createOrReplaceTempView("fact")
    spark.read.parquet(s"$folder/dim").createOrReplaceTempView("dim")
  }

  /** A query with filters, a dynamic filter, a changed plan and an output, one of them in a
    * subquery and one in a broadcast.
    */
  private def work(of: SparkSession, tag: String, run: String = "run"): Unit = {
    Seq(AdaptiveSparkConf.QueryTag.name -> tag, AdaptiveSparkConf.RunId.name -> run).foreach {
      case (key, value) => of.conf.set(key, value)
    }
    val text =
      """SELECT /*+ BROADCAST(d) */ f.id FROM fact f JOIN (SELECT k FROM dim WHERE dep = 7 AND k % 5 < 4) d ON f.id = d.k
        |WHERE f.k > (SELECT min(id) FROM range(50, 1000, 1, 3) WHERE id % 3 = 1 AND id % 5 = 2) - 60""".stripMargin
    of.sql(text).write.mode("overwrite").parquet(s"$folder/out-$tag")
  }

  private def seen(of: SparkSession): Map[String, Set[String]] = Functions.map { function =>
    function -> of.sql(s"SELECT query_tag FROM $function()").collect().map(_.getString(0)).toSet
  }.toMap

  private def ofRun(of: SparkSession, tag: String): String =
    of.sql(s"SELECT stats FROM adaptive_run_stats('$tag', 'run', -1)").head().getString(0)

  test("a user sees the own queries' rows, in one session for all users as well") {
    tables
    as("ann")(work(spark, "tag.ann"))
    as("ben")(work(spark, "tag.ben"))
    for (user <- Seq("ann", "ben")) as(user) {
      val rows = seen(spark)
      assert(rows("adaptive_filter_stats") == Set(s"tag.$user"), user)
      assert(rows.values.toSet.flatten == Set(s"tag.$user"), rows)
      assert(Functions.init.forall(rows(_).nonEmpty), rows)
      val other = if (user == "ann") "ben" else "ann"
      assert(ofRun(spark, s"tag.$user").contains("predicate"))
      assert(ofRun(spark, s"tag.$other") == """{"queries":[],"filters":[],"dynamic":[],"plans":[]}""")
    }
    assert(
      seen(spark).values.toSet.flatten.intersect(Set("tag.ann", "tag.ben")).isEmpty,
      "the process's user"
    )
  }

  test("users who ask at once do not get each other's rows, on whatever thread of Spark their plans run") {
    tables
    val users = (1 to 6).map(i => s"user$i")
    // A thread that is born while another one runs a query inherits that query's id, for Spark as well; those of
    // a server are not.
    val threads =
      new ThreadPoolExecutor(users.size, users.size, 0, SECONDS, new LinkedBlockingQueue[Runnable])
    threads.prestartAllCoreThreads()
    try {
      val server = ExecutionContext.fromExecutor(threads)
      val rounds = users.map(user =>
        Future(as(user)((1 to 3).foreach(i => work(spark.newSessionWithTables, s"$user.$i"))))(server)
      )
      rounds.foreach(Await.result(_, 5.minutes))
    } finally threads.shutdownNow()
    for (user <- users) as(user) {
      val rows = seen(spark)
      assert(rows("adaptive_filter_stats") == (1 to 3).map(i => s"$user.$i").toSet)
      assert(rows("dynamic_filter_stats") == (1 to 3).map(i => s"$user.$i").toSet)
      assert(rows("adaptive_query_stats") == (1 to 3).map(i => s"$user.$i").toSet)
      assert(rows.values.flatten.forall(_.startsWith(user)), rows)
    }
  }

  test("a user does not start in the order that another one's queries learned") {
    spark.range(0, 200000, 1, 2).selectExpr("id % 1000 AS h", "concat('name-', id) AS s").write.parquet(
      s"$folder/names"
    )
    def positions(user: String): Seq[Int] = as(user) {
      val query = spark.read.parquet(s"$folder/names").filter("s LIKE '%a%e%' AND s LIKE '%m%9%' AND h < 2")
      collect(executed(query)) { case f: AdaptiveFilter => f.initialOrder }.head
    }
    memory.forget()
    assert(positions("ann") == Seq(0, 1, 2) && positions("ann").head == 2)
    assert(positions("ben") == Seq(0, 1, 2), "nothing of ann's")
  }

  test("SET does not open a user's rows to others") {
    val error = intercept[Exception](spark.sql(s"SET ${AdaptiveSparkConf.ShareAcrossUsers.name} = true"))
    assert(error.getMessage.toLowerCase.matches("(?s).*cannot.modify.*"), error)
    assert(error.getMessage.contains(AdaptiveSparkConf.ShareAcrossUsers.name))
    val session = SparkSession.builder.config(AdaptiveSparkConf.ShareAcrossUsers.name, "true").getOrCreate()
    as("ann")(work(session, "tag.shared"))
    as("ben")(assert(!seen(session).values.toSet.flatten.contains("tag.shared")))
  }

  test("SET of the name that the driver notes a user by has no effect") {
    tables
    as("ann") {
      spark.sql("SET adaptivespark.user = ben")
      work(spark, "tag.forged")
      spark.sql("RESET adaptivespark.user")
    }
    as("ben")(assert(!seen(spark).values.toSet.flatten.contains("tag.forged")))
    as("ann")(assert(seen(spark)("adaptive_query_stats").contains("tag.forged")))
  }

  test("statistics that one user notes are not another's to put back") {
    spark.sql("CREATE TABLE noted USING parquet AS SELECT id FROM range(10)")
    spark.sql("ANALYZE TABLE noted COMPUTE STATISTICS FOR COLUMNS id")
    def ask(function: String) =
      spark.sql(s"SELECT done FROM $function('default', 'noted')").head().getBoolean(0)
    try {
      assert(as("ann")(ask("adaptive_keep_statistics")))
      spark.sql("INSERT INTO noted SELECT id FROM range(0)")
      assert(!as("ben")(ask("adaptive_restore_statistics")))
      assert(as("ann")(ask("adaptive_restore_statistics")))
    } finally spark.sql("DROP TABLE noted")
  }
}

/** One application after another in this process. */
class DriverMemoryLifeSuite extends AnyFunSuite {
  import DriverMemorySuite._

  private def session(conf: (String, String)*): SparkSession = {
    val builder = SparkSession.builder.master("local[2]")
      .config("spark.sql.extensions", classOf[AdaptiveSparkExtensions].getName)
      .config("spark.ui.enabled", "false")
      .config("spark.sql.catalogImplementation", "in-memory")
      .config("spark.sql.adaptiveFilter.queryTag", "life")
    conf.foreach { case (key, value) => builder.config(key, value) }
    builder.getOrCreate()
  }

  private def filtered(spark: SparkSession): Unit =
    spark.range(0, 100000, 1, 2).filter("id % 3 = 1 AND id % 5 = 2").collect()

  private def rows(spark: SparkSession): Seq[Row] =
    spark.sql("SELECT * FROM adaptive_filter_stats()").collect().toSeq

  private def queries(spark: SparkSession): Int =
    spark.sql("SELECT * FROM adaptive_query_stats()").collect().length

  test("a stopped context leaves no rows, ids and knowledge to the next one of the process") {
    val first = session()
    val stopped =
      try {
        filtered(first)
        assert(rows(first).map(_.getAs[Long]("filter_id")).distinct == Seq(1) && queries(first) == 1)
        assert(DriverMemory.of(first.sparkContext) eq DriverMemory.of(first.sparkContext))
        DriverMemory.of(first.sparkContext)
      } finally first.stop()
    assert(DriverMemory.of(first.sparkContext) ne stopped, "it has ended")
    assert(DriverMemory.of(first.sparkContext).filters.rows(_ => true).isEmpty)
    val second = session()
    try {
      assert(rows(second).isEmpty && queries(second) == 0)
      filtered(second)
      assert(rows(second).map(_.getAs[Long]("filter_id")).distinct == Seq(1))
      assert(DriverMemory.of(second.sparkContext).keyOf(1) != stopped.keyOf(1))
    } finally second.stop()
  }

  test("under an administrator's conf users see each other's rows and learn from each other") {
    val spark = session(AdaptiveSparkConf.ShareAcrossUsers.name -> "true")
    try {
      as("ann")(filtered(spark))
      as("ben")(assert(rows(spark).nonEmpty && queries(spark) == 1))
      val memory = DriverMemory.of(spark.sparkContext)
      assert(memory.learners("ann") == memory.learners("ben"))
    } finally spark.stop()
  }

  test("a wrong value of the administrator's conf stops the first query, and is named") {
    val spark = session(AdaptiveSparkConf.ShareAcrossUsers.name -> "yes")
    try {
      val causes = Iterator.iterate(intercept[Exception](filtered(spark)): Throwable)(_.getCause)
      val said = causes.takeWhile(_ != null).map(_.getMessage).mkString("\n")
      assert(said.contains("'yes'") && said.contains(AdaptiveSparkConf.ShareAcrossUsers.name), said)
    } finally spark.stop()
  }
}

object DriverMemorySuite {
  private[history] val Functions =
    Seq("adaptive_filter_stats", "dynamic_filter_stats", "adaptive_query_stats", "adaptive_plan_stats")

  /** Runs `body` as a server runs a user's statement. */
  private[history] def as[T](user: String)(body: => T): T = {
    CURRENT_USER.set(user)
    try body
    finally CURRENT_USER.remove()
  }

  private[history] implicit final class Sessions(spark: SparkSession) {

    /** Another session, with the temporary views of this one. */
    def newSessionWithTables: SparkSession = {
      val session = spark.newSession()
      Seq("fact", "dim").foreach { table =>
        session.read.parquet(spark.table(table).inputFiles.head.replaceAll("/[^/]*$", ""))
          .createOrReplaceTempView(table)
      }
      session
    }
  }
}
