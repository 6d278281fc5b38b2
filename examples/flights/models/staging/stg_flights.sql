select
    make_date(year, month, day) as flight_date,
    make_date(year, month, 1) as flight_month,
    time_hour as scheduled_hour_utc,
    hour as scheduled_hour,
    carrier,
    flight as flight_number,
    tailnum,
    origin,
    dest,
    dep_time is null as is_cancelled,
    dep_delay,
    arr_delay,
    air_time,
    distance
from {{ source('nycflights', 'flights') }}
