{# Collects a table's statistics, on all columns or on those named: as a post-hook "{{ analyze_relation(this, ['id']) }}", or
   dbt run-operation analyze_relation --args '{relation: shop.orders, columns: [id]}' #}
{% macro analyze_relation(relation, columns=[]) -%}
    {%- if relation is string -%}
        {%- if relation.split('.') | length > 2 -%}
            {%- do exceptions.raise_compiler_error("analyze_relation: " ~ relation ~ " has more than a schema and a table. Spark keeps statistics only in its session catalog, so leave the catalog out.") -%}
        {%- endif -%}
        {%- set relation = api.Relation.create(schema=relation.split('.')[0] if '.' in relation else target.schema, identifier=relation.split('.')[-1]) -%}
    {%- endif -%}
    {%- set statement = adapter.analyze_sql(relation, columns) -%}
    {%- if model.resource_type | string == 'macro' -%}{# as an operation #}{%- do run_query(statement) -%}{%- endif -%}
    {{ statement }}
{%- endmacro %}

{# Collects statistics of the project's sources, or of those named (`source`, `source.table`), as the config `analyze` says for a model:
   dbt run-operation analyze_sources --args '{sources: [shop], analyze: {columns: auto, min_rows: 1000}}' #}
{% macro analyze_sources(sources=[], analyze='auto') -%}
    {%- if execute -%}{%- do adapter.analyze_sources(sources, analyze) -%}{%- endif -%}
{%- endmacro %}
