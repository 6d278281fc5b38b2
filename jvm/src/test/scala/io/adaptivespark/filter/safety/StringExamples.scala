package io.adaptivespark.filter.safety

/** Strings and binaries: patterns, pieces, digests, JSON. */
private[adaptivespark] object StringExamples extends NeverThrowsFamily {
  override val always: Seq[(String, Seq[String])] = Seq(
    "collation" -> Seq("collation(s)"),
    "like ilike" -> Seq(
      "s LIKE 'a%b_c'",
      "s ILIKE '%a_%'",
      "s LIKE ANY ('a%b%', '%c_')",
      "s LIKE ALL ('%a%b', '_%c')",
      "s NOT LIKE ANY ('a%b%', '%c_')",
      "s NOT LIKE ALL ('a%b%', '%c_')"
    ),
    "rlike regexp regexp_like" -> Seq(
      "s RLIKE '^[a-z]+$'",
      "s RLIKE '^(?:a|b)c?.*x'",
      "s RLIKE '^[0-9]{4}-\\\\d{2}'",
      "s RLIKE '(?i)^\\\\p{L}*a'",
      "s RLIKE '.*?b|.{1,90}c|x*+y'",
      s"s RLIKE '^${"a?" * 148}'",
      "s RLIKE '(x)\\\\1*b'",
      "s RLIKE '^(?!x*y)'"
    ),
    "regexp_extract regexp_extract_all regexp_count regexp_instr regexp_substr" -> Seq(
      "regexp_extract(s, '([a-z]+)', 1)",
      "regexp_extract_all(s, '(a)', 1)",
      "regexp_count(s, 'a')",
      "regexp_instr(s, 'a')",
      "regexp_substr(s, 'a')"
    ),
    "regexp_replace" -> Seq(
      "regexp_replace(s, '[^0-9]', '')",
      "regexp_replace(s, 'a*', 'xy')"
    ),
    "startswith endswith contains" -> Seq(
      "startswith(s, t)",
      "endswith(s, t)",
      "contains(s, t)",
      "contains(b, b2)",
      "startswith(b, b2)",
      "endswith(b, b2)"
    ),
    "instr locate position find_in_set" -> Seq(
      "instr(s, t)",
      "locate(s, t, i)",
      "position(s, t)",
      "find_in_set(s, t)"
    ),
    "length len char_length character_length octet_length bit_length" -> Seq(
      "length(s)",
      "length(b)",
      "octet_length(s)",
      "bit_length(s)"
    ),
    "ascii chr char levenshtein soundex luhn_check" -> Seq(
      "ascii(s)",
      "chr(l)",
      "levenshtein(s, 'kitten')",
      "levenshtein(s, t, 3)",
      "soundex(s)",
      "luhn_check(s)"
    ),
    "upper ucase lower lcase initcap" -> Seq(
      "upper(s)",
      "lower(s)",
      "initcap(s)"
    ),
    "substring substr left right substring_index" -> Seq(
      "substring(s, i, j)",
      "substring(b, i, j)",
      "left(s, i)",
      "right(s, i)",
      "substring_index(s, t, 2)",
      "substring_index(s, t, -2147483647)"
    ),
    "trim ltrim rtrim btrim" -> Seq(
      "trim(s)",
      "trim(t FROM s)",
      "ltrim(s)",
      "rtrim(t, s)",
      "btrim(s, t)"
    ),
    "translate replace" -> Seq(
      "translate(s, t, 'abc')",
      "translate(s, 'abc', t)",
      "replace(s, 'a', 'bc')",
      "replace(s, '-', '')"
    ),
    "concat concat_ws array_join reverse" -> Seq(
      "concat(s, t)",
      "concat(b, b2)",
      "concat(ai, ai2)",
      "concat_ws(',', s, sa)",
      "array_join(sa, ',')",
      "array_join(sa, ',', '?')",
      "reverse(s)",
      "reverse(ai)"
    ),
    "split split_part" -> Seq(
      "split(s, ',')",
      "split(s, '')",
      "split(s, ' *', i)",
      "split_part(s, ',', 2)",
      "split_part(s, t, -1)"
    ),
    "lpad rpad" -> Seq(
      "lpad(s, 10, '0')",
      "rpad(s, 5)",
      "lpad(s, 0, 'x')"
    ),
    "hex base64 url_encode" -> Seq(
      "hex(s)",
      "hex(b)",
      "hex(l)",
      "base64(b)",
      "url_encode(s)"
    ),
    "md5 sha sha1 sha2 crc32 hash xxhash64" -> Seq(
      "md5(b)",
      "sha1(s)",
      "sha2(s, 256)",
      "sha2(b, i)",
      "crc32(b)",
      "hash(s, i, d, m, n, b, dt, ts, ai, st, ym, ds)",
      "xxhash64(s, i, d, m, n, b, dt, ts, aa, sta, bo, f)"
    ),
    "get_json_object json_array_length json_object_keys" -> Seq(
      "get_json_object(s, '$.a')",
      "get_json_object(s, '$.a[*][*].b')",
      "get_json_object(s, '$[*]')",
      "get_json_object(s, '$.*')",
      "get_json_object(s, 'not a path')",
      "json_array_length(s)",
      "json_object_keys(s)"
    )
  )
}
