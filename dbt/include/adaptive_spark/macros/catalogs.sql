{# A node's catalog: its config `database`, else the profile's. None is the session catalog. #}
{% macro adaptive_spark__generate_database_name(custom_database_name=none, node=none) -%}
    {%- set name = (custom_database_name or target.database or '') | string | trim -%}
    {{ return(none if name | lower in ('', 'spark_catalog') else name) }}
{%- endmacro %}

{# dbt-spark's lists are of the session catalog #}
{% macro adaptive_spark__list_schemas(database) -%}
    {%- if not database -%}{{ return(spark__list_schemas(database)) }}{%- endif -%}
    {%- call statement('list_schemas', fetch_result=True, auto_begin=False) -%}
        show schemas in {{ database }}
    {%- endcall -%}
    {{ return(load_result('list_schemas').table) }}
{%- endmacro %}

{% macro adaptive_spark__list_relations_without_caching(relation) -%}
    {%- if relation.database is none -%}{{ return(spark__list_relations_without_caching(relation)) }}{%- endif -%}
    {%- call statement('list_relations_without_caching', fetch_result=True) -%}
        show table extended in {{ relation.include(identifier=false) }} like '*'
    {%- endcall -%}
    {{ return(load_result('list_relations_without_caching').table) }}
{%- endmacro %}

{# Spark takes the new name as one in the table's catalog, and a catalog's name in it as a schema #}
{% macro adaptive_spark__rename_relation(from_relation, to_relation) -%}
    {{ spark__rename_relation(from_relation, to_relation.include(database=false)) }}
{%- endmacro %}
