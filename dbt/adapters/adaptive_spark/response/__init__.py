"""Work of a statement, as dbt's response and the console's words."""
