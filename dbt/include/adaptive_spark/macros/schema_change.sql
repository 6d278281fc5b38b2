{# Spark's names have no case, by which dbt compares them: `ID` would be a new column, and `id` one to drop #}
{% macro diff_columns(source_columns, target_columns) -%}
    {%- set known = target_columns | map(attribute='name') | map('lower') | list -%}
    {%- set missing = [] -%}
    {%- for each in source_columns if each.name | lower not in known -%}
        {%- do missing.append(each) -%}
    {%- endfor -%}
    {{ return(missing) }}
{%- endmacro %}

{% macro adaptive_spark__diff_column_data_types(source_columns, target_columns) -%}
    {%- set changed = [] -%}
    {%- for column in target_columns -%}
        {%- for each in source_columns if each.name | lower == column.name | lower and not each.can_expand_to(other_column=column) -%}
            {%- set kept = adapter.kept_type(each.expanded_data_type, config.get('file_format')) -%}
            {%- if kept != column.expanded_data_type -%}
                {%- do changed.append({'column_name': column.name, 'new_type': kept}) -%}
            {%- endif -%}
        {%- endfor -%}
    {%- endfor -%}
    {{ return(changed) }}
{%- endmacro %}

{# What may fail comes first, and what loses values last #}
{% macro adaptive_spark__sync_column_schemas(on_schema_change, target_relation, schema_changes_dict) -%}
    {%- set syncs = on_schema_change == 'sync_all_columns' -%}
    {%- set added = schema_changes_dict['source_not_in_target'] -%}
    {%- set removed = schema_changes_dict['target_not_in_source'] if syncs else [] -%}
    {%- do adaptive_spark_check_drops(target_relation, removed) -%}
    {%- for each in schema_changes_dict['new_target_types'] if syncs -%}
        {%- do alter_column_type(target_relation, each['column_name'], each['new_type']) -%}
    {%- endfor -%}
    {%- if added or removed -%}
        {%- do alter_relation_add_remove_columns(target_relation, added, removed) -%}
    {%- endif -%}
{%- endmacro %}

{% macro adaptive_spark__alter_column_type(relation, column_name, new_column_type) -%}
    {%- do run_query('alter table ' ~ relation ~ ' alter column ' ~ adapter.quote(column_name) ~ ' type ' ~ new_column_type) -%}
{%- endmacro %}

{# dbt-spark refuses to drop columns of all tables; these two formats do it, Delta Lake where its columns are mapped by name #}
{% macro adaptive_spark__alter_relation_add_remove_columns(relation, add_columns, remove_columns) -%}
    {%- do adaptive_spark_check_drops(relation, remove_columns) -%}
    {%- if add_columns -%}
        {%- do spark__alter_relation_add_remove_columns(relation, add_columns, none) -%}
    {%- endif -%}
    {%- if remove_columns -%}
        {%- do run_query('alter table ' ~ relation ~ ' drop columns (' ~ remove_columns | map(attribute='quoted') | join(', ') ~ ')') -%}
    {%- endif -%}
{%- endmacro %}

{# Raises a compilation error for a table whose columns cannot be dropped: dbt-spark's, save for Delta Lake and Iceberg #}
{% macro adaptive_spark_check_drops(relation, columns) -%}
    {%- if columns and not (relation.is_delta or relation.is_iceberg) -%}
        {%- do spark__alter_relation_add_remove_columns(relation, none, columns) -%}
    {%- elif columns and relation.is_delta -%}
        {%- set properties = run_query('show tblproperties ' ~ relation).rows -%}
        {%- set mode = properties | selectattr(0, 'equalto', 'delta.columnMapping.mode') | map(attribute=1) | first -%}
        {%- if mode not in ('name', 'id') -%}
            {%- do exceptions.raise_compiler_error("on_schema_change: sync_all_columns drops " ~ columns | map(attribute='quoted') | join(', ') ~ ", and " ~ relation ~ " has no column mapping. Run ALTER TABLE " ~ relation ~ " SET TBLPROPERTIES ('delta.columnMapping.mode' = 'name'), and give the model the same under tblproperties; or use append_new_columns, which keeps the column.") -%}
        {%- endif -%}
    {%- endif -%}
{%- endmacro %}
