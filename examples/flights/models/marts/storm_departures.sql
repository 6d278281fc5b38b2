-- how departures fared on days of storm: the few days prune the scan of eight years
select
    flights.flight_date,
    flights.origin,
    storms.worst_gust_mph,
    count(*) as departures,
    count(case when flights.dep_delay is null then 1 end) as cancelled,
    round(avg(flights.dep_delay), 1) as mean_dep_delay
from {{ ref('flight_history') }} as flights
inner join (
    select origin, weather_date, max(gust_mph) as worst_gust_mph
    from {{ ref('stg_weather') }}
    where gust_mph >= 45
    group by origin, weather_date
) as storms
    on flights.flight_date = storms.weather_date and flights.origin = storms.origin
group by flights.flight_date, flights.origin, storms.worst_gust_mph
