package io.adaptivespark.filter.safety

/** Dates and timestamps. */
private[adaptivespark] object DateTimeExamples extends NeverThrowsFamily {
  override val always: Seq[(String, Seq[String])] = Seq(
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
    )
  )

  override val withoutAnsi: Seq[(String, Seq[String])] = Seq(
    "next_day" -> Seq("next_day(dt, s)")
  )
}
