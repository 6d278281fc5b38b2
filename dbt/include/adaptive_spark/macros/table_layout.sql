{# Clauses of CREATE TABLE that come of a model's configs. dbt-spark puts the configs into SQL as they are written. #}
{% macro adaptive_spark__partition_cols(label, required=false) -%}
    {{ adapter.partition_clause(label, config.model) }}
{%- endmacro %}

{% macro adaptive_spark__clustered_cols(label, required=false) -%}
    {{ adapter.cluster_clause(config.model) }}
{%- endmacro %}

{% macro adaptive_spark__tblproperties_clause() -%}
    {{ adapter.properties_clause(config.model, model) }}
{%- endmacro %}

{% macro adaptive_spark__location_clause() -%}
    {%- set root = config.get('location_root', validator=validation.any[basestring]) -%}
    {%- if root is not none -%}
        location {{ adapter.text_token(root ~ '/' ~ model['alias']) }}
    {%- endif -%}
{%- endmacro %}
