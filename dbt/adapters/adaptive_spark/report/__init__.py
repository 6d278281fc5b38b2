"""The command `dbt-adaptive-spark`: a page about a run, made of dbt's artifacts alone."""
