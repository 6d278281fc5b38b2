{# dbt-spark takes a table for one of Delta Lake here where its config names no file_format, though it then has Spark's default one #}
{% macro adaptive_spark__persist_constraints(relation, model) -%}
    {%- if config.get('file_format') == 'delta' -%}{%- do spark__persist_constraints(relation, model) -%}{%- endif -%}
{%- endmacro %}

{# Only Delta Lake clones tables. dbt-spark refuses the others; here a clone of theirs is a view, as dbt's other adapters do it. #}
{% macro adaptive_spark__can_clone_table() -%}
    {{ return(config.get('file_format') == 'delta') }}
{%- endmacro %}

{% materialization clone, adapter='adaptive_spark' -%}
    {{ return(materialization_clone_default()) }}
{%- endmaterialization %}
