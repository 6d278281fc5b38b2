package io.adaptivespark.join.random

import scala.util.Random

import io.adaptivespark.{Interpreted, Seeds}

/** A random star or chain of two to four relations, the scans that it reads them with, and the confs that it runs with.
  *
  * @param form
  *   the form of its first relation, the only one that reads a table of the size [[RandomTables.Probe]]
  * @param scan
  *   the kind of scan of that table
  * @param stock
  *   without hints, over scans of any kind
  * @param mayRaise
  *   true where rows may make it raise an error
  */
final case class RandomQuery(
    form: String,
    scan: String,
    text: String,
    stock: String,
    mayRaise: Boolean,
    conf: Seq[(String, String)]
) {

  /** The same query, all of whose tables are read by this kind of scan. */
  def over(scan: String): RandomQuery =
    copy(scan = scan, text = RandomTables.over(text, scan), stock = RandomTables.over(stock, scan))
}

object RandomQuery {
  private val First = "t0"
  private val JoinTypes =
    Seq("JOIN", "JOIN", "JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN", "LEFT SEMI JOIN", "LEFT ANTI JOIN")

  /** As many neighbouring seeds ask the same, with scans, hints and confs of their own: the rows of stock Spark, which
    * take as long as ours, are those of all of them.
    */
  val Alike = 4

  /** The number of what the query of a seed asks. */
  def question(seed: Long): Long = Math.floorDiv(seed, Alike.toLong)

  /** The query of a seed; of as many neighbouring questions as there are forms, each has another form. */
  def of(seed: Long): RandomQuery = {
    val asked = question(seed)
    val form = RandomRelation.Forms(Math.floorMod(asked, RandomRelation.Forms.size.toLong).toInt)
    new Maker(form, Seeds.random(asked), Seeds.random(seed)).query
  }

  /** @param random
    *   what is asked
    * @param how
    *   how it is asked
    */
  final private class Maker(form: RandomRelation.Form, random: Random, how: Random) {
    private val conditions = new RandomConditions(random)
    private val scan = oneHow(RandomTables.Scans)
    private val isShared = form.name == "CTE used twice"

    private def one[T](of: Seq[T]): T = of(random.nextInt(of.size))
    private def oneHow[T](of: Seq[T]): T = of(how.nextInt(of.size))

    def query: RandomQuery = {
      val first = form.over(RandomTables.name(RandomTables.Probe, RandomTables.Scans.head), random)
      val (from, relations) = joined(first)
      val shown = relations.map(_._2)
      val whole = relations.filter(_._1.columns == RandomTables.Columns).map(_._2)
      val raises = whole.nonEmpty && random.nextInt(12) == 0
      val where =
        if (raises) s" WHERE ${conditions.raising(one(whole))}"
        else if (random.nextInt(4) == 0) s" WHERE ${conditions.ofRows(one(shown))}"
        else ""
      val sums = shown.map(alias =>
        s"sum(xxhash64(${RandomTables.Common.map(name => s"$alias.$name").mkString(", ")}) % 1000003)"
      )
      def text(hint: String) =
        s"${if (isShared) s"WITH c AS (${first.text}) " else ""}SELECT$hint count(*), ${sums.mkString(", ")} FROM $from$where"
      // Half of them whatever it costs, since what is worth it depends on sizes.
      val hint = if (how.nextBoolean()) s" /*+ DYNAMIC_FILTER($First) */" else ""
      val isAnsi = random.nextBoolean()
      val hinted = RandomTables.overEach(text(hint)) { size =>
        if (size == RandomTables.Probe) scan else oneHow(RandomTables.Scans)
      }
      RandomQuery(form.name, scan, hinted, text(""), raises, conf(isAnsi))
    }

    /** The relations joined, and those of them, with their aliases, whose columns the join has. */
    private def joined(first: RandomRelation): (String, Seq[(RandomRelation, String)]) = {
      val shared =
        if (isShared) Some(RandomRelation(s"SELECT * FROM c WHERE ${conditions.ofTable()}")) else None
      val others = shared.toSeq ++
        Seq.fill(1 + random.nextInt(if (isShared) 2 else 3))(RandomRelation.any(random))
      val start = if (isShared) first.copy(text = "SELECT * FROM c") else first
      val relations = (start +: others).zipWithIndex.map { case (of, at) =>
        (of, if (at == 0) First else s"t$at")
      }
      val ordered = if (random.nextInt(3) == 0) random.shuffle(relations) else relations
      val isStar = random.nextBoolean()
      val (head, alias) = ordered.head
      ordered.tail.foldLeft((s"(${head.text}) $alias", Seq(head -> alias))) {
        case ((text, shown), (right, alias)) =>
          // Many a filter of the first relation is one of the first join.
          val kind = if (shown.size == 1 && random.nextBoolean()) "JOIN" else one(JoinTypes)
          val (left, of) = if (isStar) shown.head else shown.last
          val on = conditions.ofJoin(of, alias, left.columns.filter(right.columns.contains))
          val hidden = kind.contains("SEMI") || kind.contains("ANTI")
          (s"$text $kind (${right.text}) $alias ON $on", if (hidden) shown else shown :+ (right -> alias))
      }
    }

    // Every query sets every key, so that sessions need not be put back.
    private def conf(isAnsi: Boolean): Seq[(String, String)] = {
      def chance(of: Int) = (how.nextInt(of) == 0).toString
      Interpreted.conf(isOn = how.nextInt(12) > 0) ++ Seq(
        "spark.sql.adaptive.enabled" -> chance(2),
        "spark.sql.autoBroadcastJoinThreshold" -> oneHow(Seq("-1", "10MB", "20KB")),
        "spark.sql.join.preferSortMergeJoin" -> chance(2),
        "spark.sql.join.forceApplyShuffledHashJoin" -> chance(4),
        "spark.sql.dynamicFilter.minProbeSize" -> "0",
        "spark.sql.dynamicFilter.maxRanges" -> oneHow(Seq("1", "4", "64")),
        "spark.sql.optimizer.dynamicPartitionPruning.enabled" -> chance(2),
        "spark.sql.ansi.enabled" -> isAnsi.toString,
        "spark.sql.parquet.enableVectorizedReader" -> (how.nextInt(4) > 0).toString,
        "spark.sql.orc.enableVectorizedReader" -> (how.nextInt(4) > 0).toString
      )
    }
  }
}
