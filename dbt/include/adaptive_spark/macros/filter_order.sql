{# The config `filter_order` as a hint in the model's SQL. The view of an incremental run's rows keeps the model's contract:
   Iceberg's tables have no constraints, and Delta Lake's have those that they were made with. Another column than those of the
   contract is an error, as in a first build. The first build of a snapshot, or of an incremental model that is never to be made
   anew, takes the place of no table: files that a catalog has lost may be all that there is of its history. #}
{% macro adaptive_spark__create_table_as(temporary, relation, compiled_code, language='sql') -%}
    {%- set code = adapter.in_filter_order(compiled_code, config.get('filter_order'), model) -%}
    {%- if temporary and language == 'sql' and adaptive_spark_replaces() and config.get('contract').enforced -%}
        {%- do get_assert_columns_equivalent(code) -%}
        {%- set code = adapter.checked_select(code, model, config.model, false) -%}
    {%- endif -%}
    {%- set sql = spark__create_table_as(temporary, relation, code, language) -%}
    {%- set is_never_anew = config.get('materialized') == 'incremental' and config.get('full_refresh') is false -%}
    {%- set is_kept = model.resource_type == 'snapshot' or is_never_anew -%}
    {{ sql | replace('create or replace table', 'create table', 1) if is_kept and not temporary else sql }}
{%- endmacro %}

{# A clone's SELECT is not the model's #}
{% macro adaptive_spark__create_view_as(relation, sql) -%}
    {%- set order = none if flags.WHICH == 'clone' else config.get('filter_order') -%}
    {{ spark__create_view_as(relation, adapter.in_filter_order(sql, order, model)) }}
{%- endmacro %}
