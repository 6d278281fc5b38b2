package io.adaptivespark.formats

import scala.util.{Failure, Success, Try}

/** How statements end, in words that are the same each time: texts of errors name paths and databases, and bytes and
  * times differ by chance.
  */
trait FormatOutcomes extends FormatSuite {
  import FormatOutcomes._

  /** The tables of the format. */
  protected def tables: FormatTables

  /** What `body` gives in a new database, which goes with the tables of these names. */
  protected def inDatabase[T](database: String, names: Seq[String])(body: => T): T = {
    spark.sql(s"CREATE DATABASE $catalog.$database")
    spark.sql(s"USE $catalog.$database")
    try body
    finally {
      names.foreach(name => spark.sql(s"DROP TABLE IF EXISTS $name"))
      spark.sql("USE spark_catalog.default")
      spark.sql(s"DROP DATABASE $catalog.$database")
    }
  }

  /** `statement` with a database in place of `DB`. */
  protected def of(database: String, statement: String): String =
    statement.replaceAll("\\bDB\\.", s"$catalog.$database.")

  /** A statement's rows, sorted, or its error's condition; without a condition, its class. */
  protected def outcome(statement: String): Either[String, Seq[String]] =
    Try(sorted(spark.sql(statement))) match {
      case Success(rows) => Right(rows)
      case Failure(error) => Left(condition(error))
    }

  protected def condition(error: Throwable): String = {
    val named = "\\[([A-Z0-9_.]+)\\]".r.findFirstMatchIn(String.valueOf(error.getMessage)).map(_.group(1))
    named.getOrElse(error.getClass.getName)
  }

  /** What each version did, in rows and files. */
  protected def history(versions: String): Seq[String] =
    spark.sql(versions).selectExpr(tables.versionColumns: _*).collect().toSeq.map { version =>
      val figures = version.getMap[String, String](version.size - 1).toSeq
      val counts = figures.filter { case (name, _) => name.matches(Count) }
      s"${version.toSeq.init.mkString(" ")} ${counts.sorted.mkString(", ")}"
    }
}

private object FormatOutcomes {

  // Delta Lake's, and Iceberg's
  private val Count = "num(?!.*Bytes).*|.*-(records|files|deletes|dvs)"
}
