package io.adaptivespark.filter.safety

/** Predicates and choices among values. */
private[adaptivespark] object PredicateExamples extends NeverThrowsFamily {
  private val Comparable =
    Seq("bo" -> "bo", "i" -> "j", "l" -> "l2", "d" -> "d2", "n" -> "n", "s" -> "t", "b" -> "b2") ++
      Seq("dt", "ts", "ntz", "ym", "ds", "ai", "sa", "da", "aa", "sta", "st")
        .map(c => c -> c)

  override val always: Seq[(String, Seq[String])] = Seq(
    "= == <=> equal_null < <= > >= between" -> Comparable.flatMap { case (left, right) =>
      Seq("=", "<=>", "<", ">=").map(operator => s"$left $operator $right")
    },
    "and or not !" -> Seq(
      "bo AND i > 1 OR NOT bo"
    ),
    "in" -> Seq(
      "s IN ('a', 'b')",
      "s IN (t, 'x')",
      "i IN (1,2,3,4,5,6,7,8,9,10,11,12)",
      "d IN (1.0D, double('NaN'))",
      "ai IN (array(1), array(2))"
    ),
    "isnull isnotnull isnan" -> Seq(
      "isnull(st)",
      "isnotnull(mp)",
      "isnan(d)",
      "isnan(f)"
    ),
    "coalesce ifnull nvl nvl2 nullif nullifzero zeroifnull" -> Seq(
      "coalesce(s, t)",
      "nvl2(s, t, s)",
      "nullif(s, t)",
      "nullifzero(i)",
      "zeroifnull(l)"
    ),
    "if when nanvl decode least greatest" -> Seq(
      "if(bo, s, t)",
      "CASE WHEN i > 1 THEN s WHEN bo THEN t END",
      "nanvl(d, d2)",
      "decode(i, 1, 'a', 2, 'b', 'c')",
      "least(s, t)",
      "greatest(d, d2)",
      "greatest(ai, ai2)",
      "least(b, b2)"
    )
  )
}
