"""What Spark's catalog knows of tables, as dbt's docs and source freshness show it."""
