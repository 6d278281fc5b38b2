package io.adaptivespark

/** Which SQL this line of Spark takes. */
object OfThisSpark {

  /** True unless `sql` names a type that Spark 3.5 lacks: a text with a collation, or a variant. */
  def hasTypes(sql: String): Boolean =
    NewerTypes.others.nonEmpty || !Seq("collate ", "variant").exists(sql.toLowerCase.contains)
}
