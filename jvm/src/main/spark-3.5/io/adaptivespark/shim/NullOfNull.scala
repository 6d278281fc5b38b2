package io.adaptivespark.shim

import org.apache.spark.sql.catalyst.expressions.NullIntolerant

/** An expression that a null child makes null. Until Spark 3.5 a trait says so. */
private[adaptivespark] trait NullOfNull extends NullIntolerant
