package io.adaptivespark.filter.exec

import scala.util.Random

import org.apache.spark.sql.catalyst.analysis.UnresolvedAttribute
import org.apache.spark.sql.catalyst.parser.CatalystSqlParser

import io.adaptivespark.filter.safety.ExtremeValues

/** Random SQL conditions over columns of [[ExtremeValues]]; some throw under ANSI. */
final class RandomCondition(random: Random, columns: Set[String] = ExtremeValues.columns.toSet) {
  private val hasAll = ExtremeValues.columns.forall(columns)

  /** One to five conjuncts, each a tree of up to eight predicates. */
  def next(): String = Seq.fill(1 + random.nextInt(5))(known(tree(random.nextInt(4)))).mkString(" AND ")

  /** The first of `trees` that has no other columns than those. */
  private def known(trees: => String): String =
    if (hasAll) trees
    else
      Iterator.continually(trees).find { text =>
        CatalystSqlParser.parseExpression(text)
          .collect { case name: UnresolvedAttribute => name.nameParts.head }.forall(columns)
      }.get

  private def tree(depth: Int): String = random.nextInt(if (depth == 0) 1 else 6) match {
    case 0 | 1 => filled(RandomCondition.Predicates, depth = 1)
    case 2 => s"NOT (${tree(depth - 1)})"
    case 3 => s"(${tree(depth - 1)} AND ${tree(depth - 1)})"
    case _ => s"(${tree(depth - 1)} OR ${tree(depth - 1)})"
  }

  /** One of `templates`, each `{name}` in it replaced by an expression of that name. */
  private def filled(templates: IndexedSeq[String], depth: Int): String =
    RandomCondition.Hole.replaceAllIn(
      templates(random.nextInt(templates.size)),
      hole => java.util.regex.Matcher.quoteReplacement(of(hole.group(1), depth))
    )

  private def of(name: String, depth: Int): String = {
    val (plain, computed) = RandomCondition.Grammar(name)
    if (computed.isEmpty || depth == 0 || random.nextInt(5) < 3) filled(plain, depth)
    else s"(${filled(computed, depth - 1)})"
  }
}

object RandomCondition {
  private val Hole = """\{(\w+)\}""".r

  private def each(templates: String): IndexedSeq[String] =
    templates.linesIterator.flatMap(_.split(" ; ")).map(_.trim).filter(_.nonEmpty).toVector

  // By what goes into a hole: what is there to be read, and what is computed.
  private lazy val Grammar: Map[String, (IndexedSeq[String], IndexedSeq[String])] = Map(
    "column" -> (ExtremeValues.columns -> Vector.empty),
    "is" -> (each("< ; <= ; = ; <> ; > ; >= ; <=>") -> Vector.empty),
    "not" -> (Vector("", "NOT ") -> Vector.empty),
    "constant" -> (each("0 ; 1 ; 3 ; -1 ; 1.5 ; CAST('NaN' AS DOUBLE) ; NULL ; -0.0D") -> Vector.empty),
    "digit" -> (each("0 ; 1 ; 2 ; 3 ; 7") -> Vector.empty),
    "flag" -> (Vector("o") -> Vector.empty),
    "integer" -> (each("b ; h ; i ; l") -> Integers),
    "number" -> (each("b ; h ; i ; l ; f ; d ; m ; n") -> (Integers ++ Fractions)),
    "double" -> (each("f ; d") -> Vector.empty),
    "text" -> (Vector("s") -> Texts),
    "bytes" -> (Vector("x") -> Vector.empty),
    "date" -> (Vector("dt") -> Dates),
    "time" -> (Vector("ts") -> Times),
    "list" -> (Vector("a") -> Lists),
    "day" -> (each("0001-01-01 ; 1969-12-31 ; 2020-02-29 ; 2020-05-01 ; 9999-12-31") -> Vector.empty),
    "type" -> (each("INT ; DATE ; DOUBLE ; BOOLEAN ; DECIMAL(10,2) ; TIMESTAMP ; BIGINT") -> Vector.empty),
    "number_type" -> (each("TINYINT ; INT ; BIGINT ; FLOAT ; DECIMAL(10,2) ; DECIMAL(38,6)") -> Vector.empty),
    "time_type" -> (each("DATE ; TIMESTAMP_NTZ ; BIGINT ; DOUBLE ; STRING") -> Vector.empty)
  )

  private lazy val Predicates: IndexedSeq[String] = Seq.fill(4)(Usual).flatten.toVector ++ Rare

  private lazy val Usual = each(
    """{number} {is} {constant} ; {number} {is} {number} ; {integer} {is} {digit} ; {text} {is} 'ab' ; {text} {is} '12'
      |s LIKE 'a%' ; {text} LIKE '%b%' ; s LIKE '%c' ; s LIKE 'a_c' ; {text} LIKE '%a%c%' ; s LIKE '%' ; s LIKE ''
      |s RLIKE '^[a-z]+$' ; {text} RLIKE '^[a-z]+c$' ; s RLIKE '^[a-z]+1$'
      |{column} IS NULL ; {column} IS NOT NULL ; {integer} {not}IN (0, 1, {digit}) ; {integer} IN (0, 1, NULL)
      |{date} {is} DATE '{day}' ; {time} {is} TIMESTAMP '{day} 12:00:00' ; {flag} ; CAST(s AS {type}) IS NOT NULL
      |i <> 0 AND l / i > 1 ; s = '12' AND CAST(s AS INT) = 12 ; n * n > 0 ; m * 1000000 > n""".stripMargin
  )

  private lazy val Rare = each(
    """{number} {not}BETWEEN {constant} AND {constant} ; {text} BETWEEN 'a' AND 'b' ; {date} {not}BETWEEN DATE '{day}' AND dt
      |(i, l) {not}IN ((0, 1L), ({digit}, 2L), (3, 1L)) ; {integer} IN (b, {integer}, {digit}) ; (i IN (1, 2)) IN (o, true)
      |{integer} {not}IN (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, NULL) ; {date} IN (DATE '{day}', DATE '{day}') ; {double} IN (0, 'NaN', 1.5)
      |{text} {not}IN ('', 'a', 'ab', '12') ; {text} {not}LIKE 'b/%_' ESCAPE '/' ; s LIKE '%$%%' ESCAPE '$' ; {text} ILIKE 'A%'
      |s {not}LIKE ALL ('a%', '%b%') ; s {not}LIKE ANY ('a_', NULL, '%c') ; s RLIKE s ; 'a1' LIKE s ; s LIKE s
      |startswith({text}, 'a') ; endswith({text}, s) ; contains({text}, 'b') ; contains(x, X'61') ; startswith(x, X'00')
      |isnan({double}) ; coalesce({integer}, 1) > 0 ; CASE WHEN o THEN {integer} > 0 ELSE l > 0 END ; if(o, i > 1, {flag})
      |{bytes} {is} X'61' ; CAST({integer} AS {number_type}) IS NOT NULL ; CAST({text} AS {type}) IS NULL
      |CAST({number} AS {number_type}) {is} 1 ; CAST(f AS {number_type}) IS NULL ; CAST({time} AS {time_type}) IS NULL
      |CAST({number} AS STRING) > '1' ; try_cast(s AS {type}) IS NOT NULL ; a IS NOT NULL AND a[0] > 1 ; p.k {is} {integer}
      |array_contains({list}, {digit}) ; arrays_overlap({list}, array(1, i)) ; {list} {is} array(1, 2) ; p {is} named_struct('k', i, 'v', s)
      |luhn_check({text}) ; get_json_object(s, '$.a') IS NULL ; split({text}, 'b')[0] = 'a' ; element_at(mp, 'a') > 1 ; mp['b'] {is} {digit}
      |tn {is} TIMESTAMP_NTZ '{day} 00:00:00' ; tn {is} {time} ; ts - tn > INTERVAL '1' DAY ; {flag} {is} (i > 1) ; {date} {is} {time}""".stripMargin
  )

  private lazy val Integers = each(
    """{integer} / {integer} ; {integer} % {integer} ; {integer} + {integer} ; {integer} * {integer} ; {integer} - {integer}
      |{integer} % 3 ; {integer} div 2 ; pmod({integer}, 5) ; -{integer} ; abs({integer}) ; i + 1 ; b * 2 ; {integer} div h
      |{integer} & 6 ; i | 1 ; l ^ i ; ~{integer} ; bit_count({integer}) ; shiftleft({integer}, 3) ; shiftright(l, 2) ; shiftrightunsigned(i, 1) ; hash({integer}, s) ; xxhash64({text})
      |length({text}) ; bit_length(s) ; octet_length({bytes}) ; ascii({text}) ; instr({text}, 'b') ; locate('b', {text}) ; find_in_set('a', {text})
      |levenshtein({text}, 'abc') ; crc32({text}) ; CAST({text} AS INT) ; CAST({number} AS BIGINT) ; CAST({number} AS TINYINT)
      |year({date}) ; extract(YEAROFWEEK FROM {date}) ; quarter(dt) ; month({date}) ; weekofyear({date}) ; day(dt) ; dayofweek({date})
      |dayofyear(dt) ; weekday(dt) ; datediff({date}, DATE '{day}') ; unix_date({date}) ; hour({time}) ; minute(ts) ; second({time})
      |unix_micros(ts) ; unix_millis({time}) ; unix_seconds(ts) ; size({list}) ; array_position({list}, 1) ; array_max({list}) ; array_min(a)
      |{list}[{digit}] ; get({list}, i) ; element_at({list}, 1) ; try_element_at(a, 2) ; p.k ; json_array_length({text}) ; mp['a'] ; size(mp)
      |coalesce({integer}, {integer}) ; if(o, {integer}, {digit}) ; least(i, {integer}) ; greatest(b, {integer}) ; CASE i WHEN 1 THEN b WHEN 3 THEN h END
      |regexp_instr(s, 'b') ; nullif({integer}, 1) ; nvl2(b, i, h) ; try_add(i, {integer}) ; try_divide(l, i)""".stripMargin
  )

  private lazy val Fractions = each(
    """{number} + {number} ; {number} * 2 ; {double} / {number} ; m - n ; m / 3 ; m % 7 ; n div 3 ; -{number} ; abs({number}) ; nanvl({double}, 1)
      |sqrt({double}) ; cbrt(d) ; exp({double}) ; expm1(d) ; pow({number}, 2) ; hypot(d, f) ; rint({double}) ; signum(d) ; ln({double}) ; log10(d)
      |log2({number}) ; log1p(d) ; log(2, {double}) ; degrees(d) ; radians({double}) ; sin({double}) ; tan(d) ; atan2(d, f) ; acosh({double}) ; tanh(d)
      |round({number}, 1) ; bround({number}, 0) ; round(m, -1) ; ceil({number}) ; floor(m) ; floor({double}) ; CAST({text} AS DOUBLE) ; CAST(s AS DECIMAL(10,2))
      |CAST({integer} AS FLOAT) ; CAST({double} AS DECIMAL(10,2)) ; CAST(ts AS DOUBLE) ; extract(SECOND FROM {time}) ; greatest({double}, {number})
      |coalesce({number}, 0) ; if(d > 0, {number}, NULL)""".stripMargin
  )

  private lazy val Texts = each(
    """upper({text}) ; lower(s) ; initcap(s) ; substring({text}, 2) ; substring(s, -2, 1) ; left({text}, {digit}) ; trim({text}) ; ltrim('a', s) ; rtrim(s)
      |reverse({text}) ; concat({text}, 'c') ; concat_ws('-', s, {text}) ; translate({text}, 'ab', 'ba') ; replace({text}, 'b', 'a') ; overlay(s, 'c', 1)
      |substring_index({text}, '-', 1) ; split_part({text}, 'b', 1) ; lpad({text}, 4, 'a') ; rpad(s, 3, 'c') ; repeat(s, 2) ; soundex({text}) ; hex({bytes})
      |md5({bytes}) ; sha1(x) ; sha2({bytes}, 256) ; base64(x) ; url_encode({text}) ; chr({integer}) ; CAST({integer} AS STRING) ; CAST({date} AS STRING)
      |CAST({number} AS STRING) ; CAST({time} AS STRING) ; CAST(x AS STRING) ; date_format({time}, 'yyyy-MM-dd') ; from_unixtime({integer}, 'HH:mm')
      |monthname({date}) ; dayname({date}) ; p.v ; coalesce({text}, 'ab') ; if(o, {text}, 'a') ; least({text}, 'b') ; array_join(split(s, ''), 'b')
      |regexp_replace({text}, '[0-9]', 'a') ; regexp_extract({text}, '([a-z])c', 1) ; get_json_object({text}, '$.a') ; nullif({text}, '') ; decode(x, 'UTF-8')""".stripMargin
  )

  private lazy val Dates = each(
    """last_day({date}) ; date_add({date}, {digit}) ; date_sub({date}, h) ; next_day({date}, 'MON') ; trunc({date}, 'MONTH') ; trunc(dt, 'WEEK')
      |date_from_unix_date({integer}) ; CAST({time} AS DATE) ; CAST({text} AS DATE) ; add_months({date}, {digit}) ; coalesce({date}, DATE '{day}')
      |make_date(h, 2, {digit}) ; if(o, {date}, NULL) ; {date} + INTERVAL '1' MONTH""".stripMargin
  )

  private lazy val Times = each(
    """timestamp_micros({integer}) ; timestamp_seconds({integer}) ; CAST({date} AS TIMESTAMP) ; CAST({text} AS TIMESTAMP) ; date_trunc('HOUR', {time})
      |{time} + INTERVAL '1' HOUR ; coalesce({time}, TIMESTAMP '{day}') ; CAST(tn AS TIMESTAMP) ; greatest({time}, TIMESTAMP '{day}')""".stripMargin
  )

  private lazy val Lists = each(
    """array({integer}, i) ; array_distinct({list}) ; array_union({list}, array(1)) ; array_except({list}, array(1)) ; array_intersect({list}, array(1, 2))
      |array_remove({list}, 1) ; sort_array({list}) ; concat({list}, a) ; reverse({list}) ; slice({list}, 1, 2) ; flatten(array({list}, a)) ; map_values(mp)
      |array(b, {digit}) ; coalesce({list}, array(1)) ; array_compact(a)""".stripMargin
  )
}
