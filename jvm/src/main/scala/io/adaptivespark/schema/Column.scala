package io.adaptivespark.schema

/** A column of a table function.
  *
  * @param of
  *   what its value belongs to, for readers that group rows: `query`, `filter`, `conjunct`, …
  * @param dataType
  *   in Spark SQL, such as `BIGINT`
  * @param doc
  *   its meaning, in Markdown
  */
final case class Column(of: String, name: String, dataType: String, doc: String)
