select
    tailnum,
    year as built_year,
    type as aircraft_type,
    manufacturer,
    model as aircraft_model,
    seats,
    engine
from {{ source('nycflights', 'planes') }}
