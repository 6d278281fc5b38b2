{# The rows of a model with a contract. Iceberg's get a check of its constraints, so that a row that breaks one fails the
   statement, and the table stays as it was. #}
{% macro adaptive_spark__get_select_subquery(sql) -%}
    {{ adapter.checked_select(sql, model, config.model, true) }}
{%- endmacro %}

{# Delta Lake gets constraints with the table, as properties. dbt-spark adds them once the table is replaced, and fails at
   NOT NULL, which Delta Lake does not add. #}
{% macro adaptive_spark__persist_constraints(relation, model) -%}
    {%- do adapter.warn_of_constraints(model, config.model) -%}
{%- endmacro %}
