{# dbt casts by `::`, which Spark has since 4.0. #}
{% macro adaptive_spark__current_timestamp_backcompat() %}
    cast(current_timestamp() as timestamp)
{% endmacro %}
