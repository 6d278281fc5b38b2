{# Collects a table's statistics, on all columns or on those named: as a post-hook "{{ analyze_relation(this, ['id']) }}", or
   dbt run-operation analyze_relation --args '{relation: shop.orders, columns: [id]}' #}
{% macro analyze_relation(relation, columns=[]) -%}
    {%- set statement = adapter.analyze_sql(relation, columns) -%}
    {%- if model.resource_type | string == 'macro' -%}{# as an operation #}{%- do run_query(statement) -%}{%- endif -%}
    {{ statement }}
{%- endmacro %}

{# Collects statistics of the project's sources, or of those named (`source`, `source.table`), as the config `analyze` says for a model:
   dbt run-operation analyze_sources --args '{sources: [shop], analyze: {columns: auto, min_rows: 1000}}' #}
{% macro analyze_sources(sources=none, analyze='auto') -%}
    {%- if execute -%}{%- do adapter.analyze_sources(sources, analyze) -%}{%- endif -%}
{%- endmacro %}
