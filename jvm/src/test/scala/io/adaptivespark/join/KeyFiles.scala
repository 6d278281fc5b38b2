package io.adaptivespark.join

import org.apache.spark.sql.DataFrame
import org.scalatest.Suite

import io.adaptivespark.Forms

/** Tables of files that a test writes, and the forms of a join with them. */
trait KeyFiles extends JoinTables { this: Suite =>

  // A join's strategy decides where keys come from, which DynamicFilterSuite tries, and not what is done with them.
  protected val forms = if (Forms.all) strategies else strategies.take(1)

  protected def stored(name: String, format: String, rows: DataFrame, options: (String, String)*): String = {
    rows.write.options(options.toMap).mode("overwrite").format(format).save(s"$directory/$name")
    spark.read.format(format).load(s"$directory/$name").createOrReplaceTempView(name)
    s"$directory/$name"
  }
}
