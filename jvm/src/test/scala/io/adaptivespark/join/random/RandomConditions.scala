package io.adaptivespark.join.random

import scala.util.Random

/** Random conditions over [[RandomTables]]. None raises an error, but for [[raising]]. */
final class RandomConditions(random: Random) {
  private def one[T](of: T*): T = of(random.nextInt(of.size))
  private def column: String = one(RandomTables.Common: _*)

  /** A condition on the columns of a table that few, some or all rows pass. */
  def ofTable(alias: String = ""): String = {
    val of = if (alias.isEmpty) "" else s"$alias."
    random.nextInt(9) match {
      case 0 => "true"
      case 1 => s"${of}i % ${2 + random.nextInt(20)} = 1"
      case 2 => s"${of}l BETWEEN ${random.nextInt(100) - 100} AND ${random.nextInt(150)}"
      case 3 => s"${of}w LIKE 'k${random.nextInt(9)}%'"
      case 4 => s"${of}t > DATE '200${random.nextInt(4)}-01-01' AND ${of}z"
      case 5 => s"${of}d < ${random.nextInt(40) - 20} OR ${of}p IN (${random.nextInt(12)}, 3)"
      case 6 => s"${of}id % ${3 + random.nextInt(30)} = 2"
      case 7 => s"${of}b + ${of}s > ${random.nextInt(200)} AND ${of}x IS NOT NULL"
      case _ => s"$of$column IS NOT NULL AND ${of}id > ${random.nextInt(300)} AND ${of}f < 60"
    }
  }

  /** An equality of two relations that have all columns of the tables. */
  def correlation(left: String, right: String): String = one(
    s"$left.i = $right.i",
    s"$left.i = $right.l",
    s"$left.w = $right.w",
    s"$left.t = $right.t AND $left.p = $right.p",
    s"$left.s = $right.i AND $left.n = $right.n"
  )

  /** What two relations are joined on: at least one equality of columns that both have. */
  def ofJoin(left: String, right: String, columns: Seq[String]): String = {
    def key(of: Seq[String]) = {
      val name = one(of: _*)
      random.nextInt(10) match {
        case 0 => s"$left.i = $right.l"
        case 1 => s"cast($left.i as decimal(12, 1)) = cast($right.l as decimal(22, 1))"
        case 2 => s"$left.$name <=> $right.$name"
        case _ => s"$left.$name = $right.$name"
      }
    }
    // A column of few values alone would make too many rows.
    val first = key(columns.filterNot(Seq("z", "p").contains))
    val second = if (random.nextInt(3) == 0) Some(key(columns)) else None
    val further = if (random.nextInt(5) == 0) Some(one(
      s"$left.l + $right.i > 50",
      s"$left.w <> $right.w",
      s"$right.l IN (1, 2, 3, 5, 8, 13, 21, 34, 55, 89) OR $left.t IS NULL"
    ))
    else None
    (random.shuffle(first +: second.toSeq) ++ further.map(each => s"($each)")).mkString(" AND ")
  }

  /** A condition on the rows of a join, with the nulls of those without a partner. */
  def ofRows(alias: String): String = one(
    s"$alias.w IS NULL",
    s"coalesce($alias.l, 0) < 60",
    s"$alias.i % 3 = 1",
    s"$alias.$column IS NOT NULL",
    s"($alias.w LIKE 'k1%' OR $alias.t IS NULL)"
  )

  /** A condition that raises an error for a row without a partner, where `alias` has all columns. */
  def raising(alias: String): String = s"assert_true($alias.n IS NOT NULL) IS NULL"
}
