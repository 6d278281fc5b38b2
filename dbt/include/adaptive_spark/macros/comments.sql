{# Comments on tables, views and columns. dbt-spark escapes quotes and no backslashes, and writes each comment in each run. #}
{% macro adaptive_spark__comment_clause() -%}
    {%- set said = config.get('persist_docs', {}) -%}
    {%- if said is not mapping -%}
        {{ exceptions.raise_compiler_error("persist_docs: " ~ said ~ " is not a dictionary (" ~ model.original_file_path ~ "). Write it as {'relation': true, 'columns': true}.") }}
    {%- elif said.get('relation', false) -%}
        comment {{ adapter.text_token(model.description) }}
    {%- endif -%}
{%- endmacro %}

{% macro get_column_comment_sql(column_name, column_dict) -%}
    {{ adapter.quote(column_name) }}
    {%- for name, column in column_dict.items() if name | lower == column_name | lower and column['description'] -%}
        {%- if loop.first %} comment {{ adapter.text_token(column['description']) }}{% endif -%}
    {%- endfor -%}
{%- endmacro %}

{# Only comments that have changed are written to a table, since each is a commit. A view got its own when it was made. #}
{% macro adaptive_spark__persist_docs(relation, model, for_relation, for_columns) -%}
    {%- set columns = {} -%}
    {%- if for_columns and config.persist_column_docs() and model.columns -%}
        {%- set existing = adapter.get_columns_in_relation(relation) | map(attribute='name') | list -%}
        {%- if validate_doc_columns is defined -%}
            {%- do columns.update(validate_doc_columns(relation, model.columns, existing)) -%}
        {%- else -%}{# older releases of dbt-adapters #}
            {%- for name, column in model.columns.items() if name | lower in existing | map('lower') -%}
                {%- do columns.update({name: column}) -%}
            {%- endfor -%}
        {%- endif -%}
    {%- endif -%}
    {%- set description = model.description if for_relation and config.persist_relation_docs() else none -%}
    {%- set has_comments = relation.database is not none or config.get('file_format') in ['delta', 'iceberg', 'hudi'] -%}
    {%- if not relation.is_view and has_comments and (columns or description) -%}
        {%- set described = run_query('describe table extended ' ~ relation) -%}
        {%- for statement in adapter.comment_statements(relation, described, description, columns) -%}
            {%- do run_query(statement) -%}
        {%- endfor -%}
    {%- endif -%}
{%- endmacro %}
