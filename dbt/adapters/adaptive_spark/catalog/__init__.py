"""Spark's catalog of tables, as dbt's docs and source freshness show it."""
