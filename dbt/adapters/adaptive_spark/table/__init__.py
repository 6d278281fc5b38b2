"""A model's table: how it is laid out, which rows a run replaces, and what may not be in it. Text of SQL, no Spark."""
