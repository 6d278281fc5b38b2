{# dbt-spark binds a seed value by value. A chunk that Spark cannot read is an error, not no rows. #}
{% macro adaptive_spark__load_csv_rows(model, agate_table) %}
    {%- set override = model['config'].get('column_types', {}) -%}
    {%- set statements = [] -%}
    {%- for chunk in adapter.seed_chunks(agate_table) -%}
        {%- set sql -%}
            insert into {{ this.render() }}
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
