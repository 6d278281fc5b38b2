{# Spark has no transactions. dbt sends a `commit` before a hook that is to run outside of one, and dbt-spark's
   materializations leave such a hook out: here all run in their order, once. #}
{% macro run_hooks(hooks, inside_transaction=True) -%}
    {%- for hook in hooks if inside_transaction -%}
        {%- set sql = render(hook.get('sql')) | trim -%}
        {%- if sql -%}
            {%- call statement(auto_begin=True) -%}
                {{ sql }}
            {%- endcall -%}
        {%- endif -%}
    {%- endfor -%}
{%- endmacro %}
