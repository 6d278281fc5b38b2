{#- The Parquet files that load.py wrote become external tables: one for each declared source. -#}
{% macro register_sources() %}
  {%- if execute and flags.WHICH in ['build', 'run', 'test', 'show', 'snapshot'] -%}
    {%- set home = env_var('FLIGHTS_HOME', env_var('PWD', '.')) -%}
    {%- for source in graph.sources.values() -%}
      {%- if loop.first -%}
        {%- do run_query('create database if not exists ' ~ source.schema) -%}
      {%- endif -%}
      {%- do run_query(
        "create table if not exists " ~ source.schema ~ "." ~ source.identifier
        ~ " using parquet location 'file:" ~ home ~ "/.local/raw/" ~ source.identifier ~ "'"
      ) -%}
    {%- endfor -%}
  {%- endif -%}
{% endmacro %}
