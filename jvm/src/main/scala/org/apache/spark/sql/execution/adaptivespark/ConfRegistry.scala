package org.apache.spark.sql.execution.adaptivespark

import org.apache.spark.sql.internal.SQLConf

/** Spark's registry of configuration keys, which is private to Spark SQL. */
object ConfRegistry {
  def contains(key: String): Boolean = SQLConf.containsConfigKey(key)
}
