package io.adaptivespark.filter

import org.apache.spark.sql.types.StructType

/** What is regarded as never throwing: to functions of Spark, by all their names, calls of them over the columns of [[Schema]]. A function that has
  * no calls here may throw.
  */
object NeverThrowsExamples {

  val Schema: StructType = StructType.fromDDL(
    "bo BOOLEAN, by TINYINT, sh SMALLINT, i INT, j INT, l BIGINT, l2 BIGINT, f FLOAT, d DOUBLE, d2 DOUBLE, " +
      "m DECIMAL(5,2), m2 DECIMAL(9,4), n DECIMAL(38,0), p DECIMAL(38,38), q DECIMAL(38,18), " +
      "s STRING, t STRING, " +
      "b BINARY, b2 BINARY, dt DATE, dt2 DATE, ts TIMESTAMP, ts2 TIMESTAMP, ntz TIMESTAMP_NTZ, " +
      "ym INTERVAL YEAR TO MONTH, ds INTERVAL DAY TO SECOND, " +
      "ai ARRAY<INT>, ai2 ARRAY<INT>, sa ARRAY<STRING>, " +
      "da ARRAY<DOUBLE>, aa ARRAY<ARRAY<INT>>, sta ARRAY<STRUCT<a:INT,b:STRING>>, mp MAP<STRING,INT>, " +
      "st STRUCT<a:INT,b:STRING>"
  )

  private val Comparable =
    Seq("bo" -> "bo", "i" -> "j", "l" -> "l2", "d" -> "d2", "n" -> "n", "s" -> "t", "b" -> "b2") ++
      Seq("dt", "ts", "ntz", "ym", "ds", "ai", "sa", "da", "aa", "sta", "st")
        .map(c => c -> c)

  private val Printable = Seq("bo", "by", "l", "f", "d", "n", "p", "b", "dt", "ts", "ntz")

  private val Parsable =
    Seq("BOOLEAN", "TINYINT", "INT", "BIGINT", "FLOAT", "DOUBLE", "DECIMAL(10,2)", "DECIMAL(38,38)") ++
      Seq("DATE", "TIMESTAMP", "TIMESTAMP_NTZ")

  /** Calls that never throw in either mode. */
  val Always: Seq[(String, Seq[String])] = Seq(
    "= == <=> equal_null < <= > >= between" -> Comparable.flatMap { case (left, right) =>
      Seq("=", "<=>", "<", ">=").map(operator => s"$left $operator $right")
    },
    "string" -> Printable.map(column => s"CAST($column AS STRING)"),
    "try_to_date try_to_timestamp" ->
      (Parsable.map(t => s"try_cast(s AS $t)") ++ Seq("try_to_date(s)", "try_to_timestamp(s)")),
    "collation" -> Seq("collation(s)"),
    "cast boolean tinyint smallint int bigint float double decimal binary date timestamp" -> Seq(
      "CAST(i AS BIGINT)",
      "double(i)",
      "float(l)",
      "CAST(l AS DECIMAL(20,0))",
      "CAST(m AS INT)",
      "CAST(m AS DECIMAL(10,4))",
      "CAST(n AS DOUBLE)",
      "CAST(bo AS INT)",
      "CAST(bo AS DECIMAL(5,1))",
      "boolean(d)",
      "CAST(n AS BOOLEAN)",
      "date(ts)",
      "CAST(ntz AS DATE)",
      "bigint(ts)",
      "CAST(ts AS DOUBLE)",
      "binary(s)",
      "CAST(ai AS ARRAY<BIGINT>)",
      "CAST(ai AS ARRAY<STRING>)",
      "CAST(st AS STRUCT<a: DOUBLE, b: STRING>)",
      "try_cast(d AS INT)",
      "try_cast(n AS INT)",
      "try_cast(n AS DECIMAL(5,2))",
      "try_cast(d AS DECIMAL(10,2))",
      "try_cast(sa AS ARRAY<INT>)"
    ),
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
    ),
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
      "substring_index(s, t, i)"
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
      "lpad(s, -1, 'x')"
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
    ),
    "year quarter month day dayofmonth dayofweek weekday " +
      "dayofyear weekofyear date_part datepart extract monthname dayname" -> Seq(
        "year(dt)",
        "quarter(dt)",
        "month(dt)",
        "day(ts)",
        "dayofweek(dt)",
        "weekday(dt)",
        "dayofyear(dt)",
        "weekofyear(ntz)",
        "extract(YEAROFWEEK FROM dt)",
        "monthname(dt)",
        "dayname(dt)"
      ),
    "hour minute second" -> Seq(
      "hour(ts)",
      "minute(ts)",
      "second(ts)",
      "hour(ntz)",
      "extract(SECOND FROM ts)"
    ),
    "datediff date_diff date_add dateadd date_sub last_day next_day trunc" -> Seq(
      "datediff(dt, dt2)",
      "date_add(dt, i)",
      "date_sub(dt, i)",
      "last_day(dt)",
      "next_day(dt, 'MONDAY')",
      "trunc(dt, 'year')",
      "trunc(dt, 'MM')",
      "trunc(dt, 'week')"
    ),
    "date_format from_unixtime" -> Seq(
      "date_format(ts, 'yyyy-MM-dd HH:mm:ss')",
      "date_format(ts, 'yyyy/MM')",
      "from_unixtime(l)"
    ),
    "unix_date date_from_unix_date unix_seconds unix_millis unix_micros timestamp_micros" -> Seq(
      "unix_date(dt)",
      "date_from_unix_date(i)",
      "unix_seconds(ts)",
      "unix_millis(ts)",
      "unix_micros(ts)",
      "timestamp_micros(l)"
    ),
    "+ - * try_add try_subtract try_multiply" -> Seq(
      "d + d2",
      "d * d2",
      "f - f",
      "m + m2",
      "m * m2",
      "m - m2",
      "year(dt) * 100 + month(dt)",
      "CAST(i AS BIGINT) * 100 + j",
      "CAST(by AS INT) - sh",
      "i % 1000 * 60 + second(ts)",
      "try_add(i, j)",
      "try_subtract(l, l2)",
      "try_multiply(n, n)",
      "try_add(n, n)"
    ),
    "/ % mod div pmod try_divide try_mod" -> Seq(
      "i / 2",
      "d / -0.5D",
      "m / 3",
      "m2 / 7.5",
      "i % 2",
      "l % -1",
      "d % 3",
      "pmod(i, 7)",
      "l div 10",
      "i div 3",
      "pmod(d, 2.5D)",
      "try_divide(d, d2)",
      "try_divide(n, p)",
      "try_mod(i, j)",
      "try_mod(m, m2)"
    ),
    "negative abs positive" -> Seq(
      "-d",
      "-n",
      "abs(d)",
      "abs(m)",
      "-CAST(i AS BIGINT)",
      "+i"
    ),
    "round bround ceil ceiling floor" -> Seq(
      "round(d, 2)",
      "round(f)",
      "round(n, 0)",
      "round(p, 3)",
      "round(i, 0)",
      "bround(m, 1)",
      "bround(d, 38)",
      "ceil(n)",
      "ceil(m)",
      "ceil(p)",
      "floor(q)"
    ),
    "& | ^ ~ << >> >>> shiftleft shiftright shiftrightunsigned bit_count" -> Seq(
      "i & j",
      "l | l2",
      "i ^ j",
      "~by",
      "i << j",
      "l >> i",
      "l >>> i",
      "bit_count(l)",
      "bit_count(bo)"
    ),
    "sqrt cbrt exp expm1 pow power hypot rint sign signum ln log log2 log10 log1p degrees radians" -> Seq(
      "sqrt(d)",
      "cbrt(d)",
      "exp(d)",
      "expm1(d)",
      "pow(d, d2)",
      "hypot(d, d2)",
      "rint(d)",
      "signum(d)",
      "ln(d)",
      "log(d, d2)",
      "log2(d)",
      "log10(d)",
      "log1p(d)",
      "degrees(d)",
      "radians(d)"
    ),
    "sin cos tan cot sec csc asin acos atan atan2 sinh cosh tanh asinh acosh atanh" -> Seq(
      "sin(d)",
      "cos(d)",
      "tan(d)",
      "cot(d)",
      "sec(d)",
      "csc(d)",
      "asin(d)",
      "acos(d)",
      "atan(d)",
      "atan2(d, d2)",
      "sinh(d)",
      "cosh(d)",
      "tanh(d)",
      "asinh(d)",
      "acosh(d)",
      "atanh(d)"
    ),
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
      "try_element_at(ai, -2147483648)",
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

  /** Calls that never throw outside ANSI mode. */
  val WithoutAnsi: Seq[(String, Seq[String])] = Seq(
    "+ - * / % div pmod negative abs round" -> Seq(
      "i + j",
      "l * l2",
      "n + n",
      "n * n",
      "by - by",
      "d / d2",
      "n / p",
      "i % j",
      "d % d2",
      "m % m2",
      "m div m2",
      "l div l2",
      "pmod(i, j)",
      "pmod(m, m2)",
      "-i",
      "abs(l)",
      "round(l, 2)"
    ),
    "element_at next_day" -> Seq("ai[i]", "ai[0]", "element_at(ai, 1)", "sta[0].a", "next_day(dt, s)"),
    "to_date to_timestamp to_timestamp_ltz to_timestamp_ntz" ->
      Seq("to_date(s)", "to_timestamp(s)", "to_timestamp_ltz(s)", "to_timestamp_ntz(s)"),
    "cast" -> Seq(
      "CAST(l AS INT)",
      "CAST(d AS INT)",
      "CAST(d AS TINYINT)",
      "CAST(n AS BIGINT)",
      "CAST(n AS DECIMAL(5,2))",
      "CAST(d AS DECIMAL(10,2))",
      "CAST(f AS DECIMAL(38,38))",
      "CAST(bo AS DECIMAL(1,1))",
      "CAST(ts AS INT)",
      "CAST(s AS INT)",
      "CAST(s AS DOUBLE)",
      "CAST(s AS DECIMAL(10,2))",
      "CAST(s AS DATE)",
      "CAST(s AS TIMESTAMP)",
      "CAST(s AS TIMESTAMP_NTZ)",
      "CAST(s AS BOOLEAN)",
      "CAST(sa AS ARRAY<DOUBLE>)"
    )
  )

  /** The names of all functions that have calls. */
  val Listed: Set[String] = (Always ++ WithoutAnsi).flatMap(_._1.split(" ")).toSet
}
