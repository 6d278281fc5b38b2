-- the premium coast-to-coast market as each airline flies it
select
    flight_date,
    carrier_name,
    flight_number,
    origin,
    dest,
    aircraft_model,
    seats,
    air_time,
    arr_delay
from {{ ref('fct_flights') }}
where dest_name rlike '(Los Angeles|San Francisco|San Diego|Seattle)'
  and dest_time_zone = 'America/Los_Angeles'
  and not is_cancelled
  and (
      (origin = 'JFK' and carrier_name rlike '(American|Delta|JetBlue|Virgin)' and scheduled_hour >= 16)
      or (origin = 'EWR' and carrier_name like 'United%' and (seats >= 180 or aircraft_model like '757%'))
  )
  and air_time > 330
