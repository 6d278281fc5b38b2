{# dbt-spark's, save that Iceberg's tables are replaced as Delta Lake's are and never dropped for it, and that the mode of
   overwriting partitions is a conf of the model, put back after it #}
{% materialization incremental, adapter='adaptive_spark', supported_languages=['sql', 'python'] -%}
    {%- set own = adapter.own_materialization('incremental', model['language']) -%}
    {%- if own -%}{{ return(context[project_name][own]()) }}{%- endif -%}
    {%- set language = model['language'] -%}
    {%- set file_format = dbt_spark_validate_get_file_format(config.get('file_format', default='parquet')) -%}
    {%- set strategy = config.get('incremental_strategy') or 'append' -%}
    {%- if strategy in ['insert_overwrite', 'microbatch'] -%}
        {%- do dbt_spark_validate_get_incremental_strategy(strategy, file_format) -%}
    {%- endif -%}
    {%- set on_schema_change = incremental_validate_on_schema_change(config.get('on_schema_change'), default='ignore') -%}
    {%- set target_relation = this.incorporate(type='table') -%}
    {%- set existing_relation = load_relation(this) -%}
    {%- set tmp_relation = this.incorporate(path={"identifier": this.identifier ~ '__dbt_tmp'}) -%}
    {%- if language == 'sql' -%}{# a temporary view, which has no schema #}
        {%- set tmp_relation = tmp_relation.include(database=false, schema=false) -%}
    {%- endif -%}

    {{ run_hooks(pre_hooks) }}

    {%- if existing_relation is none or existing_relation.is_view or should_full_refresh() -%}
        {%- do adaptive_spark_make_room(existing_relation) -%}
        {%- call statement('main', language=language) -%}
            {{ create_table_as(False, target_relation, compiled_code, language) }}
        {%- endcall -%}
        {%- do persist_constraints(target_relation, model) -%}
    {%- else -%}
        {%- if existing_relation.information and adaptive_spark_replaces() and adaptive_spark_format_of(existing_relation) != file_format -%}
            {%- do exceptions.raise_compiler_error(existing_relation ~ " is a table in another format than " ~ file_format ~ ". Run the model with --full-refresh, or give it the file_format that the table has.") -%}
        {%- endif -%}
        {%- call statement('create_tmp_relation', language=language) -%}
            {{ create_table_as(True, tmp_relation, compiled_code, language) }}
        {%- endcall -%}
        {%- set known = process_schema_changes(on_schema_change, tmp_relation, existing_relation) -%}
        {%- call statement('main') -%}
            {{ adaptive_spark_incremental_sql(strategy, tmp_relation, target_relation, existing_relation, known) }}
        {%- endcall -%}
        {%- if language == 'python' -%}
            {%- call statement('drop_relation') -%}
                drop table if exists {{ tmp_relation }}
            {%- endcall -%}
        {%- endif -%}
    {%- endif -%}

    {%- do apply_grants(target_relation, config.get('grants'), should_revoke(existing_relation, should_full_refresh())) -%}
    {%- do persist_docs(target_relation, model) -%}
    {{ run_hooks(post_hooks) }}
    {{ return({'relations': [target_relation]}) }}
{%- endmaterialization %}

{# The format of a table that is there. dbt's cache knows it, save of a table that this run has made itself. #}
{% macro adaptive_spark_format_of(existing) -%}
    {%- if existing.is_delta or existing.is_iceberg -%}
        {{ return('delta' if existing.is_delta else 'iceberg') }}
    {%- endif -%}
    {{ return(none if existing.information else config.get('file_format')) }}
{%- endmacro %}

{# Drops what CREATE OR REPLACE does not take the place of #}
{% macro adaptive_spark_make_room(existing) -%}
    {%- if existing is not none and not adaptive_spark_is_replaced(existing) -%}
        {%- do adapter.check_dropped(existing, config.model) -%}
        {%- do adapter.drop_relation(existing) -%}
    {%- endif -%}
{%- endmacro %}

{# CREATE OR REPLACE takes the place of a table in its own format #}
{% macro adaptive_spark_is_replaced(existing) -%}
    {{ return(existing.is_table and adaptive_spark_replaces() and adaptive_spark_format_of(existing) == config.get('file_format')) }}
{%- endmacro %}

{% macro adaptive_spark_replaces() -%}
    {{ return(config.get('file_format') in ['delta', 'iceberg']) }}
{%- endmacro %}

{# The statement that brings new rows into a table; `known` has the columns of `source`, where they were looked up #}
{% macro adaptive_spark_incremental_sql(strategy, source, target, existing, known) -%}
    {%- set described = adapter.get_columns_in_relation(target) -%}
    {%- set columns = described | map(attribute='name') | list -%}
    {%- set found = known | map(attribute='name') | list if known else columns -%}
    {%- set predicates = config.get('predicates', none) or config.get('incremental_predicates', none) -%}
    {%- set keys = config.get('unique_key', none) -%}
    {%- set own = adapter.own_macro(strategy, config.model) -%}
    {%- if own == 'strategy' -%}{# which is given what dbt gives it in any adapter #}
        {%- set sql_of = adapter.get_incremental_strategy_macro(context, strategy) -%}
        {{ sql_of({'target_relation': target, 'temp_relation': source, 'unique_key': keys, 'dest_columns': known or described, 'incremental_predicates': predicates}) }}
    {%- else -%}
        {%- set format = adaptive_spark_format_of(existing) -%}
        {%- if strategy == 'insert_overwrite' and format in ['delta', 'iceberg'] and config.get('partition_by') and not own -%}
            {%- do adapter.check_partitions(target, run_query('describe table extended ' ~ target), config.model) -%}
        {%- endif -%}
        {%- set statements = [] if own == 'sql' else adapter.incremental_statements(strategy, format, target, source, columns, found, config.model, compiled_code) -%}
        {%- if statements -%}
            {%- for each in statements[:-1] -%}{%- do run_query(each) -%}{%- endfor -%}
            {{ statements[-1] }}
        {%- else -%}
            {{ dbt_spark_get_incremental_sql(strategy, source, target, existing, keys, predicates) }}
        {%- endif -%}
    {%- endif -%}
{%- endmacro %}
