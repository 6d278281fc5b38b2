{# dbt's own: dbt-spark's one adds columns of its own to a table with several keys, fails where the query has lost a column,
   and makes a view in the schema #}
{% materialization snapshot, adapter='adaptive_spark' -%}
    {%- set existing = load_relation(this) -%}
    {%- if existing is not none and existing.is_table and existing.information and not (existing.is_delta or existing.is_iceberg or existing.is_hudi) -%}
        {%- do exceptions.raise_compiler_error(existing ~ " is a table in another format than " ~ config.get('file_format') ~ ". Drop or rename it, or give the snapshot another alias.") -%}
    {%- endif -%}
    {{ return(materialization_snapshot_default()) }}
{%- endmaterialization %}

{% macro adaptive_spark__snapshot_merge_sql(target, source, insert_cols) -%}
    {{ default__snapshot_merge_sql(target, source, insert_cols) }}
{%- endmacro %}

{% macro adaptive_spark__post_snapshot(staging_relation) -%}
    {%- call statement('drop_staging_view', auto_begin=False) -%}
        drop view if exists {{ staging_relation }}
    {%- endcall -%}
{%- endmacro %}

{# dbt leaves out what is none where it hands a model to macros: a node of the session catalog has no database #}
{% macro adaptive_spark__get_or_create_relation(database, schema, identifier, type) -%}
    {{ return(default__get_or_create_relation(database or none, schema, identifier, type)) }}
{%- endmacro %}

{# dbt-spark returns the rows of DESCRIBE here, in which dbt finds no column's name: the record of a deleted row was null but
   for its times #}
{% macro adaptive_spark__get_columns_in_relation(relation) -%}
    {{ return(adapter.get_columns_in_relation(relation)) }}
{%- endmacro %}
