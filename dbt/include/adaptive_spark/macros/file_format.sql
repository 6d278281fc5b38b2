{# Only Delta Lake clones tables. dbt-spark refuses the others; here a clone of theirs is a view, as dbt's other adapters do it. #}
{% macro adaptive_spark__can_clone_table() -%}
    {{ return(config.get('file_format') == 'delta') }}
{%- endmacro %}

{% materialization clone, adapter='adaptive_spark' -%}
    {{ return(materialization_clone_default()) }}
{%- endmaterialization %}
