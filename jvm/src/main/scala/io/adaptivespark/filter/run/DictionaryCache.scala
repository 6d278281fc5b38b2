package io.adaptivespark.filter.run

import org.apache.spark.sql.execution.vectorized.WritableColumnVector

import io.adaptivespark.filter.sampling.ConjunctLoops
import io.adaptivespark.shim.ColumnDictionary

/** Evaluates a conjunct over one dictionary-encoded column once for each entry of the dictionary, instead
  * of once for each row.
  *
  * An entry is evaluated when a row first has it, so nothing is evaluated that no row asks for.
  */
final class DictionaryCache(loops: ConjunctLoops, conjunct: Int) {
  import DictionaryCache._

  private var dictionary: AnyRef = _
  private var verdicts = new Array[Byte](256)
  private var ofNull = Unknown

  /** Like [[ConjunctLoops.keep]], for a batch in which `column` has a dictionary. */
  def keep(column: WritableColumnVector, rows: Array[Int], count: Int, kept: Array[Int]): Int = {
    remember(ColumnDictionary(column))
    val ids = column.getDictionaryIds
    val mayBeNull = column.hasNull
    var passed = 0
    var i = 0
    while (i < count) {
      val row = rows(i)
      val verdict =
        if (mayBeNull && column.isNullAt(row)) verdictOfNull(row) else verdictOf(ids.getDictId(row), row)
      kept(passed) = row
      passed += verdict
      i += 1
    }
    passed
  }

  private def verdictOf(id: Int, row: Int): Int = {
    val known = if (id < verdicts.length) verdicts(id) else Unknown
    if (known != Unknown) known - Fails else evaluate(id, row)
  }

  private def evaluate(id: Int, row: Int): Int = {
    if (id >= verdicts.length)
      verdicts = java.util.Arrays.copyOf(verdicts, math.max(id + 1, verdicts.length * 2))
    verdicts(id) = verdictAt(row)
    verdicts(id) - Fails
  }

  private def verdictOfNull(row: Int): Int = {
    if (ofNull == Unknown) ofNull = verdictAt(row)
    ofNull - Fails
  }

  private def verdictAt(row: Int): Byte = if (loops.test(conjunct, row)) Passes else Fails

  private def remember(of: AnyRef): Unit = if (of ne dictionary) {
    java.util.Arrays.fill(verdicts, Unknown)
    dictionary = of
  }
}

private object DictionaryCache {
  val Unknown: Byte = 0
  val Fails: Byte = 1
  val Passes: Byte = 2
}
