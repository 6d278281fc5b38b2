{# In Delta Lake and Iceberg a seed takes the place of its table, as a model does #}
{% macro adaptive_spark__reset_csv_table(model, full_refresh, old_relation, agate_table) -%}
    {%- do adaptive_spark_make_room(old_relation) -%}
    {{ return(create_csv_table(model, agate_table)) }}
{%- endmacro %}

{# dbt-spark's has no `tblproperties` #}
{% macro adaptive_spark__create_csv_table(model, agate_table) -%}
    {%- set types = model['config'].get('column_types', {}) -%}
    {%- set quoting = model['config'].get('quote_columns', none) -%}
    {%- set sql -%}
        create {{ 'or replace ' if adaptive_spark_replaces() }}table {{ this.render() }} (
            {%- for name in agate_table.column_names %}
            {{ adapter.quote_seed_column(name | string, quoting) }} {{ types.get(name, adapter.convert_type(agate_table, loop.index0)) }}{{ "," if not loop.last }}
            {%- endfor %}
        )
        {{ file_format_clause() }}
        {{ tblproperties_clause() }}
        {{ partition_cols(label="partitioned by") }}
        {{ clustered_cols(label="clustered by") }}
        {{ location_clause() }}
        {{ comment_clause() }}
    {%- endset -%}
    {%- call statement('_') -%}
        {{ sql }}
    {%- endcall -%}
    {%- if not agate_table.rows -%}{# dbt loads none then, and files of a location would still be there #}
        {%- do load_csv_rows(model, agate_table) -%}
    {%- endif -%}
    {{ return(sql) }}
{%- endmacro %}

{# dbt-spark binds a seed value by value. A chunk that Spark cannot read is an error, not no rows. The first chunk takes the
   place of what is there: files that `location_root` names stay where a table is dropped, and Delta Lake takes over the
   rows of a log that it finds there. Columns are named, as a table may have those that it is partitioned by last. #}
{% macro adaptive_spark__load_csv_rows(model, agate_table) %}
    {%- set override = model['config'].get('column_types', {}) -%}
    {%- set quoting = model['config'].get('quote_columns', none) -%}
    {%- set names = [] -%}
    {%- for name in agate_table.column_names -%}
        {%- do names.append(adapter.quote_seed_column(name | string, quoting) | replace('%', '%%' if get_binding_char() == '%s' else '%')) -%}
    {%- endfor -%}
    {%- set is_empty = adaptive_spark_replaces() and config.get('location_root') is none -%}
    {%- set statements = [] -%}
    {%- for chunk in adapter.seed_chunks(agate_table) -%}
        {%- set sql -%}
            insert {{ 'overwrite' if loop.first and not is_empty else 'into' }} {{ this.render() }} ({{ names | join(', ') }})
            select
                {%- for name in agate_table.column_names %}
                cast(r[{{ loop.index0 }}] as {{ override.get(name, adapter.convert_type(agate_table, loop.index0)) }}){{ "," if not loop.last }}
                {%- endfor %}
            from (select explode(from_json(chunk, 'array<array<string>>', map('mode', 'FAILFAST'))) as r from values ({{ get_binding_char() }}) as t(chunk))
        {%- endset -%}
        {%- do adapter.add_query(sql, bindings=[chunk], abridge_sql_log=True) -%}
        {%- do statements.append(sql) if loop.first -%}
    {%- endfor -%}
    {{ return(statements[0] if statements else '') }}
{% endmacro %}
