-- for each departure that was cancelled in 2013: later ones of the same day on the same route. How few are cancelled,
-- Spark knows from statistics alone.
select
    cancelled.flight_date,
    cancelled.origin,
    cancelled.dest,
    cancelled.scheduled_hour,
    cancelled.carrier,
    cancelled.flight_number,
    count(*) as later_departures,
    min(later.scheduled_hour) as next_hour
from {{ ref('flight_history') }} as cancelled
inner join {{ ref('flight_history') }} as later
    on cancelled.flight_date = later.flight_date
    and cancelled.origin = later.origin
    and cancelled.dest = later.dest
    and cancelled.scheduled_hour < later.scheduled_hour
where cancelled.flight_date >= date'2013-01-01'
  and cancelled.dep_delay is null
  and later.dep_delay is not null
group by
    cancelled.flight_date,
    cancelled.origin,
    cancelled.dest,
    cancelled.scheduled_hour,
    cancelled.carrier,
    cancelled.flight_number
