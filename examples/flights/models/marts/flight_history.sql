-- eight years of departures: 2013 again and again, each time a year earlier. Each year is written to files of its own, in
-- the order of the source, which is by date. So a file, and a page of it, has few dates.
{%- for years_back in range(8) %}
select
    add_months(flight_date, {{ -12 * years_back }}) as flight_date,
    scheduled_hour,
    carrier,
    flight_number,
    tailnum,
    origin,
    dest,
    dep_delay,
    arr_delay,
    distance
from {{ ref('stg_flights') }}
{%- if not loop.last %}
union all
{%- endif %}
{%- endfor %}
