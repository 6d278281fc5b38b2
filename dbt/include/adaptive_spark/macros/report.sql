{# What every model's filters are known to do: dbt run-operation adaptive_report, or with --args '{format: json}' #}
{% macro adaptive_report(format='table') -%}
    {%- if execute -%}{%- do log(adapter.adaptive_report(format), info=true) -%}{%- endif -%}
{%- endmacro %}
