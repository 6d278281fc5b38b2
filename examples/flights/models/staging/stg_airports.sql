select
    faa as airport,
    name as airport_name,
    tzone as time_zone
from {{ source('nycflights', 'airports') }}
