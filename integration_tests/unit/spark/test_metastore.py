"""What Derby says of a database that another process holds."""

from dbt.adapters.adaptive_spark.spark.metastore import locked_folder

LOCKED = [
    "java.sql.SQLException: Failed to start database 'metastore_db' with class loader X, see the next exception for details.",
    "ERROR XJ040: Failed to start database 'metastore_db' with class loader X, see the next exception for details.",
    "ERROR XSDB6: Another instance of Derby may have already booted the database /home/me/my shop/metastore_db.",
]


def test_the_folder_of_a_held_database_is_found():
    assert locked_folder(LOCKED) == "/home/me/my shop/metastore_db"


def test_another_error_is_not_taken_for_it():
    assert locked_folder(LOCKED[:2]) is None
