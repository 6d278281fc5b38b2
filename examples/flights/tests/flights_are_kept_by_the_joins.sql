-- the joins of fct_flights neither lose nor repeat a flight
select sources.flights, facts.flights
from (select count(*) as flights from {{ source('nycflights', 'flights') }}) as sources
cross join (select count(*) as flights from {{ ref('fct_flights') }}) as facts
where sources.flights <> facts.flights
