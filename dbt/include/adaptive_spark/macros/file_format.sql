{# Only Delta Lake clones tables. dbt-spark refuses the others; here a clone of theirs is a view, as dbt's other adapters do it. #}
{% macro adaptive_spark__can_clone_table() -%}
    {{ return(config.get('file_format') == 'delta') }}
{%- endmacro %}

{# Delta Lake clones nothing onto a table that has rows. They are deleted, and only for a clone that can be made: to drop the
   table would remove files that other clones have, or its own source. #}
{% macro adaptive_spark__create_or_replace_clone(this_relation, defer_relation) -%}
    {%- set existing = load_relation(this_relation) -%}
    {%- if existing is not none -%}
        {%- set trial = adaptive_spark_trial(this_relation, 'table') -%}
        {%- do run_query("create table " ~ trial ~ " shallow clone " ~ defer_relation) -%}
        {%- do adapter.drop_relation(trial) -%}
        {%- if existing.is_delta -%}
            {%- do run_query("delete from " ~ existing) -%}
        {%- else -%}
            {%- do adapter.drop_relation(existing) -%}
        {%- endif -%}
    {%- endif -%}
    create or replace table {{ this_relation }} shallow clone {{ defer_relation }}
{%- endmacro %}

{# A table is not dropped for a view of itself #}
{% materialization clone, adapter='adaptive_spark' -%}
    {%- set own = adapter.own_materialization('clone') -%}
    {%- if own -%}{{ return(context[project_name][own]()) }}{%- endif -%}
    {%- if defer_relation and this.render() | lower == defer_relation.render() | lower -%}
        {{ log("Target relation and defer relation are the same, skipping clone for relation: " ~ this.render()) }}
        {{ return({'relations': []}) }}
    {%- endif -%}
    {{ return(materialization_clone_default()) }}
{%- endmaterialization %}
