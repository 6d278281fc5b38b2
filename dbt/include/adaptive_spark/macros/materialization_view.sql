{# dbt-spark's clone looks for a view materialization under this adapter's own name #}
{% materialization view, adapter='adaptive_spark' -%}
    {%- set own = adapter.own_materialization('view') -%}
    {{ return(context[project_name][own]() if own else create_or_replace_view()) }}
{%- endmaterialization %}

{# A table is dropped only for a view that can be made: its catalog may have no views, or the query a fault #}
{% macro adaptive_spark__handle_existing_table(full_refresh, old_relation) -%}
    {%- do adapter.check_view(old_relation, sql, config.model) -%}
    {%- set trial = adaptive_spark_trial(old_relation, 'view') -%}
    {%- call statement('trial', auto_begin=False) -%}
        {{ get_create_view_as_sql(trial, sql) }}
    {%- endcall -%}
    {%- do adapter.drop_relation(trial) -%}
    {%- set drop = context.get('spark__handle_existing_table', default__handle_existing_table) -%}
    {{ drop(full_refresh, old_relation) }}
{%- endmacro %}

{# A name for trying what shall take a relation's place. What an earlier run has left there goes, such as a table of a Python
   model that failed. #}
{% macro adaptive_spark_trial(relation, type) -%}
    {%- set trial = relation.incorporate(path={"identifier": relation.identifier ~ '__dbt_tmp'}, type=type) -%}
    {%- set left = load_relation(trial) -%}
    {%- if left is not none -%}{%- do adapter.drop_relation(left) -%}{%- endif -%}
    {{ return(trial) }}
{%- endmacro %}
