-- flights cancelled or badly late in an hour of bad weather, with what the weather was
select
    flights.flight_date,
    flights.origin,
    flights.scheduled_hour,
    flights.carrier_name,
    flights.flight_number,
    flights.is_cancelled,
    flights.dep_delay,
    weather.temperature_f,
    weather.gust_mph,
    weather.precipitation_in,
    weather.visibility_miles
from {{ ref('fct_flights') }} as flights
inner join {{ ref('stg_weather') }} as weather
    on flights.origin = weather.origin and flights.scheduled_hour_utc = weather.hour_utc
where flights.dest_time_zone like 'America/%'
  and flights.carrier_name not like '%Hawaiian%'
  and (flights.is_cancelled or flights.dep_delay >= 90)
  and (
      weather.visibility_miles < 1
      or weather.gust_mph >= 35
      or (weather.temperature_f <= 32 and weather.precipitation_in > 0)
  )
