{{
    config(
        materialized='incremental',
        incremental_strategy='insert_overwrite',
        partition_by='flight_month',
    )
}}

-- one row per airport and day, mainline carriers only; a later run does the newest month again, late corrections included
select
    flight_date,
    origin,
    count(*) as departures,
    count(case when dep_delay > 15 then 1 end) as late_departures,
    max(dep_delay) as worst_delay,
    flight_month
from {{ ref('fct_flights') }}
where carrier_name not rlike '(Endeavor|Envoy|ExpressJet|Mesa|SkyWest)'
  and not is_cancelled
  and scheduled_hour between 6 and 22
  {%- if is_incremental() %}
  and flight_month >= (select max(flight_month) from {{ this }})
  {%- endif %}
group by flight_date, origin, flight_month
