{# To stand right after SELECT: relations of its FROM that its joins shall filter, or shall not, each by its alias: one, or a list #}
{% macro dynamic_filter_hint(on=[], off=[]) -%}
    {{ adapter.dynamic_filter_hint(on, off) }}
{%- endmacro %}
