{# dbt-spark refuses to drop columns of all tables; these two formats do it, Delta Lake where its columns are mapped by name #}
{% macro adaptive_spark__alter_relation_add_remove_columns(relation, add_columns, remove_columns) -%}
    {%- if remove_columns and (relation.is_delta or relation.is_iceberg) -%}
        {%- set names = remove_columns | map(attribute='quoted') | join(', ') -%}
        {%- do run_query('alter table ' ~ relation ~ ' drop columns (' ~ names ~ ')') -%}
        {%- set remove_columns = none -%}
    {%- endif -%}
    {%- if add_columns or remove_columns -%}
        {%- do spark__alter_relation_add_remove_columns(relation, add_columns, remove_columns) -%}
    {%- endif -%}
{%- endmacro %}
