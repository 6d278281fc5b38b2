select *
from {{ ref('rebooking_options') }}
where next_hour <= scheduled_hour
