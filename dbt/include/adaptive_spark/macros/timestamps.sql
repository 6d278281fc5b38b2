{# dbt's own is `current_timestamp::timestamp`, a cast that Spark has since 4.0 only #}
{% macro adaptive_spark__current_timestamp_backcompat() -%}
    cast(current_timestamp() as timestamp)
{%- endmacro %}
