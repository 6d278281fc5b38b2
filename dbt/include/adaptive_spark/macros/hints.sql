{# All of these stand right after SELECT and render a comment. #}

{# The SELECT's filters order themselves, or not, whatever the session says: adaptive_filter_hint(false), adaptive_filter_hint(momentum=0.5) #}
{% macro adaptive_filter_hint() -%}
    {{ adapter.adaptive_filter_hint(varargs, kwargs) }}
{%- endmacro %}

{# Conjuncts on these columns come first until something is measured: filter_order_hint('t.status', 'amount') #}
{% macro filter_order_hint() -%}
    {{ adapter.filter_order_hint(varargs) }}
{%- endmacro %}

{# Relations of its FROM that its joins shall filter, or shall not, each by its alias: one, or a list #}
{% macro dynamic_filter_hint(on=[], off=[]) -%}
    {{ adapter.dynamic_filter_hint(on, off) }}
{%- endmacro %}
