{# The rows of a relation that nested lists keep, as a SELECT: a model of its own, or a subquery in parentheses.
   bulk_filter(ref('events'), {'and': [{'column': 'user_id', 'include': ref('panel')}, {'column': 'site', 'exclude': ['x', 'y']}]}) #}
{% macro bulk_filter(relation, expression) -%}
    {{ adapter.bulk_filter(relation, expression) }}
{%- endmacro %}
