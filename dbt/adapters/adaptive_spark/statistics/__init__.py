"""Statistics of tables: which columns need them, the ANALYZE statement, and when it runs."""
