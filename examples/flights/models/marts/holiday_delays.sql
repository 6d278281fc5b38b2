-- for the staffing plan: departures an hour late or more in the two holiday seasons, large carriers only
select
    flight_date,
    carrier_name,
    origin,
    dest_name,
    scheduled_hour,
    dep_delay
from {{ ref('fct_flights') }}
where lower(carrier_name) rlike '(united|american|delta|us airways|jetblue)'
  and dest_name like '%Intl%'
  and (
      flight_date between date'2013-11-22' and date'2013-12-02'
      or flight_date >= date'2013-12-20'
  )
  and dep_delay >= 60
