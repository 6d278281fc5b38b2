{# The config `filter_order` as a hint in the model's SQL #}
{% macro adaptive_spark__create_table_as(temporary, relation, compiled_code, language='sql') -%}
    {{ spark__create_table_as(temporary, relation, adapter.in_filter_order(compiled_code, config.get('filter_order'), model), language) }}
{%- endmacro %}

{# A clone's SELECT is not the model's #}
{% macro adaptive_spark__create_view_as(relation, sql) -%}
    {%- set order = none if flags.WHICH == 'clone' else config.get('filter_order') -%}
    {{ spark__create_view_as(relation, adapter.in_filter_order(sql, order, model)) }}
{%- endmacro %}
