{{ config(collect_rate=50, calculate_rate=10000) }}

-- for the maintenance review: narrow-body Airbuses that came in late from a long leg
select
    flight_date,
    carrier_name,
    flight_number,
    tailnum,
    aircraft_model,
    origin,
    dest,
    arr_delay
from {{ ref('fct_flights') }}
where manufacturer like 'AIRBUS%'
  and aircraft_model rlike '^A3(18|19|20|21)-[12]'
  and dest_name like '%Intl'
  and distance >= 1500
  and arr_delay > 30
