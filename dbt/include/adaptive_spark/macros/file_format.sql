{# Only Delta Lake clones tables. dbt-spark refuses the others; here a clone of theirs is a view, as dbt's other adapters do it. #}
{% macro adaptive_spark__can_clone_table() -%}
    {{ return(config.get('file_format') == 'delta') }}
{%- endmacro %}

{# A table is not dropped for a view of itself #}
{% materialization clone, adapter='adaptive_spark' -%}
    {%- set own = adapter.own_materialization('clone') -%}
    {%- if own -%}{{ return(context[own]()) }}{%- endif -%}
    {%- if defer_relation and this.render() | lower == defer_relation.render() | lower -%}
        {{ log("Target relation and defer relation are the same, skipping clone for relation: " ~ this.render()) }}
        {{ return({'relations': []}) }}
    {%- endif -%}
    {{ return(materialization_clone_default()) }}
{%- endmaterialization %}
