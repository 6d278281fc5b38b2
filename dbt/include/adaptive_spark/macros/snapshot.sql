{# dbt's own: dbt-spark's one adds columns of its own to a table with several keys, fails where the query has lost a column,
   and makes a view in the schema #}
{% materialization snapshot, adapter='adaptive_spark' -%}
    {%- set own = adapter.own_materialization('snapshot') -%}
    {%- if own -%}{{ return(context[project_name][own]()) }}{%- endif -%}
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

{# The record of a deleted row has the values of the table's columns, which dbt finds by the case of their names #}
{% macro adaptive_spark__snapshot_staging_table(strategy, source_sql, target_relation) -%}
    {%- set sql = source_sql if strategy.hard_deletes != 'new_record' else adaptive_spark_in_case_of(target_relation, source_sql) -%}
    {{ return(default__snapshot_staging_table(strategy, sql, target_relation)) }}
{%- endmacro %}

{# A query, its columns in the case that a table has them in #}
{% macro adaptive_spark_in_case_of(relation, sql) -%}
    {%- set known = {} -%}
    {%- for column in adapter.get_columns_in_relation(relation) -%}
        {%- do known.update({column.name | lower: column.name}) -%}
    {%- endfor -%}
    {%- set names = [] -%}
    {%- set changed = [] -%}
    {%- for name in get_columns_in_query(sql) -%}
        {%- set in_case = known.get(name | lower, name) -%}
        {%- do names.append(adapter.quote(name) ~ ' as ' ~ adapter.quote(in_case)) -%}
        {%- do changed.append(name) if in_case != name -%}
    {%- endfor -%}
    {{ return("select " ~ names | join(', ') ~ " from (\n" ~ sql ~ "\n) subq" if changed else sql) }}
{%- endmacro %}

{# Whether the query has a column that the table lacks, and the columns that both have: dbt's, save that names have no case.
   A column in another case was a new one in every run, and each made a new version of every row. #}
{% macro snapshot_check_all_get_existing_columns(node, target_exists, check_cols_config) -%}
    {%- if not target_exists -%}
        {{ return((false, [])) }}
    {%- endif -%}
    {%- set sql = node['compiled_code'] -%}
    {%- if check_cols_config != 'all' -%}
        {%- if check_cols_config is string or check_cols_config is not iterable or not check_cols_config -%}
            {%- do exceptions.raise_compiler_error("check_cols: " ~ check_cols_config ~ " is not 'all' or a list of columns.") -%}
        {%- endif -%}
        {%- set sql = "select " ~ check_cols_config | join(", ") ~ " from (\n" ~ sql ~ "\n) subq" -%}
    {%- endif -%}
    {%- set target = adapter.get_relation(database=node.database or none, schema=node.schema, identifier=node.alias) -%}
    {%- set known = adapter.get_columns_in_relation(target) | map(attribute='name') | map('lower') | list -%}
    {%- set queried = get_columns_in_query(sql) -%}
    {%- set shared = [] -%}
    {%- for name in queried if name | lower in known -%}
        {%- do shared.append(adapter.quote(name)) -%}
    {%- endfor -%}
    {{ return((shared | length < queried | length, shared)) }}
{%- endmacro %}
