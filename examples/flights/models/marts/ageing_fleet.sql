-- aircraft of 1992 or before still flown on business routes in the morning peak
select
    flights.flight_date,
    flights.tailnum,
    planes.manufacturer,
    planes.aircraft_model,
    planes.built_year,
    flights.carrier_name,
    flights.origin,
    flights.dest,
    flights.dep_delay
from {{ ref('fct_flights') }} as flights
inner join {{ ref('stg_planes') }} as planes on flights.tailnum = planes.tailnum
where flights.tailnum rlike '^N[1-9][0-9]{2}[A-Z]{2}$'
  and flights.dest_name not like '%Regional%'
  and flights.scheduled_hour between 6 and 9
  and flights.flight_date >= date'2013-06-01'
  and planes.engine like 'Turbo%'
  and planes.aircraft_type like 'Fixed wing%'
  and planes.built_year <= 1992
