-- flights that left about on time and still arrived early: the schedule has slack to give back
select
    flight_date,
    carrier,
    origin,
    dest,
    distance,
    dep_delay,
    arr_delay
from {{ ref('fct_flights') }}
where arr_delay <= -20
  and dep_delay between -3 and 3
  and distance between 300 and 1100
  and scheduled_hour >= 15
