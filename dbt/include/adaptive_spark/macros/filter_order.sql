{# The config `filter_order` as a hint in the model's SQL. The view of an incremental run's rows keeps an Iceberg model's
   contract, as its table does. #}
{% macro adaptive_spark__create_table_as(temporary, relation, compiled_code, language='sql') -%}
    {%- set code = adapter.in_filter_order(compiled_code, config.get('filter_order'), model) -%}
    {%- if temporary and language == 'sql' and config.get('file_format') == 'iceberg' and config.get('contract').enforced -%}
        {%- set code = get_select_subquery(code) -%}
    {%- endif -%}
    {{ spark__create_table_as(temporary, relation, code, language) }}
{%- endmacro %}

{# A clone's SELECT is not the model's #}
{% macro adaptive_spark__create_view_as(relation, sql) -%}
    {%- set order = none if flags.WHICH == 'clone' else config.get('filter_order') -%}
    {{ spark__create_view_as(relation, adapter.in_filter_order(sql, order, model)) }}
{%- endmacro %}
