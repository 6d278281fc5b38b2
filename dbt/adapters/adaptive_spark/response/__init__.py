"""What a statement did, as dbt's response and the console's words."""
