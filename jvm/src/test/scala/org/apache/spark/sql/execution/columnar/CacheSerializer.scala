package org.apache.spark.sql.execution.columnar

/** The serializer of cached tables, which Spark reads from the conf once in the life of a JVM. */
object CacheSerializer {
  def forget(): Unit = InMemoryRelation.clearSerializer()
}
