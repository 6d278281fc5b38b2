select flight_date, origin
from {{ ref('daily_operations') }}
group by flight_date, origin
having count(*) > 1
