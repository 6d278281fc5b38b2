{# dbt-spark's clone looks for a view materialization under this adapter's own name #}
{% materialization view, adapter='adaptive_spark' -%}
    {%- set own = adapter.own_materialization('view') -%}
    {{ return(context[project_name][own]() if own else create_or_replace_view()) }}
{%- endmaterialization %}

{# A table is dropped only for a view that can be made: its catalog may have no views, or the query a fault #}
{% macro adaptive_spark__handle_existing_table(full_refresh, old_relation) -%}
    {%- do adapter.check_view(old_relation, sql, config.model) -%}
    {%- set trial = old_relation.incorporate(path={"identifier": old_relation.identifier ~ '__dbt_tmp'}, type='view') -%}
    {%- set left = load_relation(trial) -%}{# a table, of a Python model that failed #}
    {%- if left is not none and left.is_table -%}{%- do adapter.drop_relation(left) -%}{%- endif -%}
    {%- call statement('trial', auto_begin=False) -%}
        {{ get_create_view_as_sql(trial, sql) }}
    {%- endcall -%}
    {%- do adapter.drop_relation(trial) -%}
    {%- set drop = context.get('spark__handle_existing_table', default__handle_existing_table) -%}
    {{ drop(full_refresh, old_relation) }}
{%- endmacro %}
