select
    origin,
    make_date(year, month, day) as weather_date,
    time_hour as hour_utc,
    temp as temperature_f,
    wind_speed as wind_mph,
    wind_gust as gust_mph,
    precip as precipitation_in,
    visib as visibility_miles
from {{ source('nycflights', 'weather') }}
