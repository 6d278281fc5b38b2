-- routes worth advertising: flown often, by several airlines, and on time
select
    origin,
    dest,
    dest_name,
    count(*) as flights,
    count(distinct carrier) as carriers,
    round(avg(arr_delay), 2) as mean_arr_delay,
    round(avg(case when arr_delay <= 15 then 1 else 0 end), 4) as on_time_share
from {{ ref('fct_flights') }}
where dest_name not like '%County%'
  and not is_cancelled
  and arr_delay is not null
group by origin, dest, dest_name
having count(*) >= 300
  and avg(case when arr_delay <= 15 then 1 else 0 end) >= 0.78
  and count(distinct carrier) > 1
