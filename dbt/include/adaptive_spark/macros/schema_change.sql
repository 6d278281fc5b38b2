{# dbt-spark refuses to drop columns of all tables; these two formats do it, Delta Lake where its columns are mapped by name #}
{% macro adaptive_spark__alter_relation_add_remove_columns(relation, add_columns, remove_columns) -%}
    {%- if remove_columns and (relation.is_delta or relation.is_iceberg) -%}
        {%- set names = remove_columns | map(attribute='quoted') | join(', ') -%}
        {%- if relation.is_delta -%}
            {%- set properties = run_query('show tblproperties ' ~ relation).rows -%}
            {%- set mode = properties | selectattr(0, 'equalto', 'delta.columnMapping.mode') | map(attribute=1) | first -%}
            {%- if mode not in ('name', 'id') -%}
                {%- do exceptions.raise_compiler_error("on_schema_change: sync_all_columns drops " ~ names ~ ", and " ~ relation ~ " has no column mapping. Run ALTER TABLE " ~ relation ~ " SET TBLPROPERTIES ('delta.columnMapping.mode' = 'name'), and give the model the same under tblproperties; or use append_new_columns, which keeps the column.") -%}
            {%- endif -%}
        {%- endif -%}
        {%- do run_query('alter table ' ~ relation ~ ' drop columns (' ~ names ~ ')') -%}
        {%- set remove_columns = none -%}
    {%- endif -%}
    {%- if add_columns or remove_columns -%}
        {%- do spark__alter_relation_add_remove_columns(relation, add_columns, remove_columns) -%}
    {%- endif -%}
{%- endmacro %}
