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

{# dbt-spark's snapshots give a schema by its name alone #}
{% macro adaptive_spark__create_schema(relation) -%}
    {%- set named = api.Relation.create(database=model.database, schema=relation) if relation is string else relation -%}
    {{ spark__create_schema(named.include(identifier=false)) }}
{%- endmacro %}

{# Spark takes the new name as one in the table's catalog, and a catalog's name in it as a schema #}
{% macro adaptive_spark__rename_relation(from_relation, to_relation) -%}
    {{ spark__rename_relation(from_relation, to_relation.include(database=false)) }}
{%- endmacro %}

{# dbt-spark's snapshots leave the database out #}
{% macro adaptive_spark__get_or_create_relation(database, schema, identifier, type) -%}
    {{ return(default__get_or_create_relation(database or model.database, schema, identifier, type)) }}
{%- endmacro %}

{# dbt-spark's, by its name, save that the view is temporary for a snapshot in another catalog, which may have no views #}
{% macro spark_build_snapshot_staging_table(strategy, sql, target_relation) -%}
    {%- set is_elsewhere = target_relation.database is not none -%}
    {%- set schema = none if is_elsewhere or target_relation.is_iceberg else target_relation.schema -%}
    {%- set staging = api.Relation.create(identifier=target_relation.identifier ~ '__dbt_tmp', schema=schema, type='view') -%}
    {%- set rows = snapshot_staging_table(strategy, sql, target_relation) -%}
    {%- call statement('build_snapshot_staging_relation') -%}
        {{ create_temporary_view(staging, rows) if is_elsewhere else create_view_as(staging, rows) }}
    {%- endcall -%}
    {{ return(staging) }}
{%- endmacro %}

{# dbt-spark comments columns where a format is named; a table of another catalog has that catalog's own #}
{% macro adaptive_spark__alter_column_comment(relation, column_dict) -%}
    {%- if relation.database is none or config.get('file_format') -%}
        {{ spark__alter_column_comment(relation, column_dict) }}
    {%- else -%}
        {%- for name, column in column_dict.items() -%}
            {%- set comment = column['description'] | replace("\\", "\\\\") | replace("'", "\\'") -%}
            {%- do run_query('alter table ' ~ relation ~ ' alter column ' ~ adapter.quote(name) ~ " comment '" ~ comment ~ "'") -%}
        {%- endfor -%}
    {%- endif -%}
{%- endmacro %}
