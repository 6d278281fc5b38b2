package io.adaptivespark.join

import scala.collection.mutable
import scala.concurrent.duration._

import org.apache.spark.sql.Row
import org.scalatest.Suite
import org.scalatest.concurrent.Eventually.{eventually, timeout}

/** Queries with a tag, and what `dynamic_filter_stats()` tells of them. */
trait TaggedQueries extends JoinTables { this: Suite =>

  protected def stats(tag: String): Seq[Row] =
    spark.sql(s"SELECT * FROM dynamic_filter_stats() WHERE query_tag = '$tag'").collect().toSeq

  // By query: most are asked several times, of tables that stay as they are.
  private val known = mutable.Map.empty[String, Seq[String]]

  override protected def withoutFilters(text: String): Seq[String] =
    known.getOrElseUpdate(text, super.withoutFilters(text))

  protected def tagged(tag: String, text: String, conf: (String, String)*): Seq[Row] = {
    withConf(conf :+ ("spark.sql.adaptiveFilter.queryTag" -> tag): _*)(onAndOff(text))
    eventually(timeout(1.minute))(assert(stats(tag).forall(row =>
      row.isNullAt(row.fieldIndex("rows_read")) ||
        !row.isNullAt(row.fieldIndex("kept"))
    )))
    stats(tag)
  }

  protected def verdicts(rows: Seq[Row]): Seq[String] = rows.map(_.getAs[String]("verdict_code"))
}
