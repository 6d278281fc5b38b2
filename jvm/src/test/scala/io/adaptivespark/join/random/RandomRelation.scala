package io.adaptivespark.join.random

import scala.util.Random

/** A random relation that joins read, as an SQL query.
  *
  * @param columns
  *   those that may be join keys; more often those that occur several times
  */
final case class RandomRelation(text: String, columns: Seq[String] = RandomTables.Columns)

object RandomRelation {
  import RandomTables.{Common, Large, Scans, Small}

  /** Makes relations of one form over a table. */
  final class Form(val name: String, make: (Random, String) => RandomRelation) {
    def over(table: String, random: Random): RandomRelation = make(random, table)
  }

  /** The forms that a dynamic filter reaches through to the scan. */
  val Forms: Vector[Form] = Vector(
    form("table")((_, table, where) => s"SELECT * FROM $table WHERE ${where.ofTable()}"),
    new Form("aggregate", aggregate),
    form("window")(window),
    form("UNION ALL")(union("UNION ALL")),
    form("UNION")(union("UNION")),
    form("CTE used twice")((_, table, where) => s"SELECT * FROM $table WHERE ${where.ofTable()}"),
    form("IN")(in("IN")),
    form("NOT IN")(in("NOT IN")),
    form("EXISTS")(exists("EXISTS")),
    form("NOT EXISTS")(exists("NOT EXISTS")),
    form("scalar subquery")(scalar),
    form("correlated scalar subquery")(correlated),
    form("join")(join),
    form("explode") { (_, table, where) =>
      s"SELECT r.*, v.n_ FROM $table r LATERAL VIEW explode(array(1, r.i)) v AS n_ WHERE ${where.ofTable("r")}"
    }
  )

  /** A relation of any form, among them one that no filter may pass. */
  def any(random: Random): RandomRelation = {
    val table = RandomTables.name(if (random.nextInt(4) == 0) Large else Small, one(random, Scans))
    random.nextInt(10) match {
      case 0 =>
        RandomRelation(
          s"SELECT * FROM $table WHERE ${new RandomConditions(random).ofTable()} ORDER BY id LIMIT 30"
        )
      case 1 | 2 | 3 | 4 => Forms.head.over(table, random)
      case _ => one(random, Forms).over(table, random)
    }
  }

  private def one[T](random: Random, of: Seq[T]): T = of(random.nextInt(of.size))

  private def small(random: Random): String = RandomTables.name(Small, one(random, Scans))

  private def form(name: String)(text: (Random, String, RandomConditions) => String): Form =
    new Form(name, (random, table) => RandomRelation(text(random, table, new RandomConditions(random))))

  private def aggregate(random: Random, table: String): RandomRelation = {
    val groups = random.shuffle(Common).take(2 + random.nextInt(3))
    val shown = Common.map(name => if (groups.contains(name)) name else s"max($name) AS $name")
    val counted = one(
      random,
      Seq(
        "count(*) AS n_",
        "count(DISTINCT s) AS n_, count(DISTINCT d) AS m_",
        "sum(l) FILTER (WHERE z) AS n_"
      )
    )
    val by = random.nextInt(5) match {
      case 0 => s"GROUPING SETS ((${groups.mkString(", ")}), (${groups.head}))"
      case _ => groups.mkString(", ")
    }
    val having = if (random.nextInt(4) == 0) " HAVING count(*) < 5" else ""
    RandomRelation(
      s"SELECT ${shown.mkString(", ")}, $counted FROM $table WHERE ${new RandomConditions(random).ofTable()} GROUP BY $by$having",
      // a filter passes by those that it groups by
      groups ++ groups ++ Common
    )
  }

  private def window(random: Random, table: String, where: RandomConditions): String = {
    val by = random.shuffle(Common).take(1 + random.nextInt(2)).mkString(", ")
    val rows = s"SELECT * FROM $table WHERE ${where.ofTable()}"
    random.nextInt(3) match {
      case 0 => s"SELECT *, sum(l) OVER (PARTITION BY $by) AS n_ FROM ($rows)"
      case 1 => s"SELECT *, lag(l) OVER (PARTITION BY $by ORDER BY id) AS n_ FROM ($rows)"
      case _ =>
        s"SELECT * FROM (SELECT *, row_number() OVER (PARTITION BY $by ORDER BY l, id) AS n_ FROM ($rows)) WHERE n_ <= ${1 + random.nextInt(2)}"
    }
  }

  private def union(how: String)(random: Random, table: String, where: RandomConditions): String = {
    val other = if (random.nextBoolean()) table else small(random)
    s"SELECT * FROM $table WHERE ${where.ofTable()} $how SELECT * FROM $other WHERE ${where.ofTable()}"
  }

  private def in(how: String)(random: Random, table: String, where: RandomConditions): String = {
    val name = one(random, RandomTables.Columns.diff(Seq("z")))
    val or = if (random.nextInt(4) == 0) s" OR ${where.ofTable()}" else ""
    s"SELECT * FROM $table WHERE $name $how (SELECT $name FROM ${small(random)} WHERE ${where.ofTable()})$or"
  }

  private def exists(how: String)(random: Random, table: String, where: RandomConditions): String = {
    val or = if (random.nextInt(4) == 0) s" OR ${where.ofTable("r")}" else ""
    s"SELECT * FROM $table r WHERE $how (SELECT 1 FROM ${small(random)} y WHERE ${where.correlation("r", "y")} AND (${where.ofTable("y")}))$or"
  }

  private def scalar(random: Random, table: String, where: RandomConditions): String = {
    val compared = one(
      random,
      Seq("l > (SELECT avg(l)", "l <= (SELECT max(i)", "w < (SELECT max(w)", "i = (SELECT min(i)")
    )
    s"SELECT * FROM $table WHERE $compared FROM ${small(random)} WHERE ${where.ofTable()}) AND (${where.ofTable()})"
  }

  private def correlated(random: Random, table: String, where: RandomConditions): String = {
    val found = s"FROM ${small(random)} y WHERE ${where.correlation("r", "y")} AND (${where.ofTable("y")})"
    random.nextInt(3) match {
      case 0 => s"SELECT r.*, (SELECT max(y.l) $found) AS n_ FROM $table r WHERE ${where.ofTable("r")}"
      case 1 => s"SELECT * FROM $table r WHERE r.l >= (SELECT min(y.l) $found)"
      case _ => s"SELECT * FROM $table r WHERE (SELECT count(*) $found) < 3 AND (${where.ofTable("r")})"
    }
  }

  private def join(random: Random, table: String, where: RandomConditions): String = {
    val kind = one(
      random,
      Seq("JOIN", "JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN", "LEFT SEMI JOIN", "LEFT ANTI JOIN")
    )
    val other = s"(SELECT * FROM ${small(random)} WHERE ${where.ofTable()})"
    s"SELECT r.* FROM $table r $kind $other y ON ${where.ofJoin("r", "y", RandomTables.Columns)} WHERE ${where.ofTable("r")}"
  }
}
