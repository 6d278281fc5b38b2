package io.adaptivespark.filter.safety

/** Arrays, maps and structs. */
private[adaptivespark] object CollectionExamples extends NeverThrowsFamily {
  override val always: Seq[(String, Seq[String])] = Seq(
    "array struct named_struct" -> Seq(
      "array(i, j)",
      "struct(i, s)",
      "st.a",
      "sta.a"
    ),
    "size cardinality array_size array_contains array_position arrays_overlap array_min array_max" -> Seq(
      "size(ai)",
      "cardinality(mp)",
      "array_size(ai)",
      "array_contains(ai, i)",
      "array_contains(da, d)",
      "array_contains(aa, ai)",
      "array_position(sa, s)",
      "arrays_overlap(sa, sa)",
      "arrays_overlap(aa, aa)",
      "array_min(sta)",
      "array_max(da)"
    ),
    "array_distinct array_union array_except array_intersect array_remove sort_array flatten slice" -> Seq(
      "array_distinct(da)",
      "array_union(ai, ai2)",
      "array_except(aa, aa)",
      "array_intersect(sa, sa)",
      "array_remove(da, d)",
      "sort_array(da)",
      "sort_array(sta, false)",
      "flatten(aa)",
      "slice(ai, 2, 2147483647)",
      "slice(ai, -2147483648, 3)"
    ),
    "get try_element_at" -> Seq(
      "get(ai, i)",
      "try_element_at(ai, 1)",
      "try_element_at(ai, -2147483647)",
      "try_element_at(mp, s)"
    ),
    "element_at map_keys map_values map_entries map_contains_key" -> Seq(
      "element_at(mp, s)",
      "mp['a']",
      "map_keys(mp)",
      "map_values(mp)",
      "map_entries(mp)",
      "map_contains_key(mp, s)"
    ),
    "exists forall filter transform" -> Seq(
      "exists(ai, x -> x > 1)",
      "forall(sa, x -> x LIKE 'a%b')",
      "filter(da, x -> isnan(x))",
      "transform(ai, x -> x IS NULL)"
    )
  )

  override val withoutAnsi: Seq[(String, Seq[String])] = Seq(
    "element_at" -> Seq("ai[i]", "ai[0]", "element_at(ai, 1)", "sta[0].a")
  )
}
