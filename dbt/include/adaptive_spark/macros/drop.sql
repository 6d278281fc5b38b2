{% macro adaptive_spark__drop_relation(relation) -%}
    {%- call statement('drop_relation', auto_begin=False) -%}
        drop {{ relation.type }} if exists {{ relation }}{{ ' purge' if adapter.leaves_files(relation) }}
    {%- endcall -%}
{%- endmacro %}
