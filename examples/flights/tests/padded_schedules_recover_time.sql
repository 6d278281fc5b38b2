select *
from {{ ref('padded_schedules') }}
where arr_delay > dep_delay - 15
  and distance > 0
