package io.adaptivespark.filter.exec

import org.apache.spark.sql.execution.columnar.ArrowCachedBatchSerializer
import org.apache.spark.sql.vectorized.ArrowColumnVector

/** Spark 4.3 introduced batches of Arrow for cached tables. */
class ArrowCachedBatchesSuite extends CachedBatchesSuite(classOf[ArrowCachedBatchSerializer]) {
  override protected def vectorClass(offHeap: Boolean): Class[_] = classOf[ArrowColumnVector]

  override protected def columns: Seq[String] = Seq(
    "if(id % 7 = 0, null, cast(id % 100 as int)) AS i",
    "if(id % 11 = 0, null, concat('name-', id % 1000)) AS s",
    "if(id % 13 = 0, double('NaN'), if(id % 17 = 0, -0.0D, id / 10)) AS d",
    "date_add(DATE '2020-01-01', cast(id % 700 as int)) AS dt",
    "cast(id % 1000 AS DECIMAL(30, 2)) AS n",
    "if(id % 5 = 0, null, array(id, null, id % 3)) AS a",
    "named_struct('x', id % 4, 'y', concat('y', id % 9)) AS r",
    "id % 2 = 0 AS o",
    "timestamp_seconds(id) AS ts"
  )
  override protected def conditions: Seq[String] = Seq(
    "i <> 1000 AND s LIKE '%9%' AND i > 20 AND dt > DATE '2020-06-01' AND (d > 5 OR i < 30)",
    "i <> 1000 AND (s LIKE '%9%7%' OR (dt > DATE '2020-06-01' AND s LIKE '%5%')) AND NOT (i < 3 AND s LIKE '%1%') AND d = d",
    "size(a) <> 7 AND r.y LIKE '%3%' AND n > 20.5 AND (o OR r.x = 1) AND ts > TIMESTAMP '1970-01-01 01:00:00 UTC'"
  )
}
