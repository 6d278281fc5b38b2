-- one wide row per scheduled departure: what every other mart filters
select
    flights.*,
    airlines.carrier_name,
    airports.airport_name as dest_name,
    airports.time_zone as dest_time_zone,
    planes.built_year,
    planes.manufacturer,
    planes.aircraft_model,
    planes.seats
from {{ ref('stg_flights') }} as flights
inner join {{ ref('airlines') }} as airlines on flights.carrier = airlines.carrier
left join {{ ref('stg_airports') }} as airports on flights.dest = airports.airport
left join {{ ref('stg_planes') }} as planes on flights.tailnum = planes.tailnum
