"""Derby's message about a database that another process holds."""

from types import SimpleNamespace

import pytest
from py4j.protocol import Py4JError

from dbt.adapters.adaptive_spark.spark.metastore import locked_folder, refuse_locked

LOCKED = [
    "java.sql.SQLException: Failed to start database 'metastore_db' with class loader X, see the next exception for details.",
    "ERROR XJ040: Failed to start database 'metastore_db' with class loader X, see the next exception for details.",
    "ERROR XSDB6: Another instance of Derby may have already booted the database /home/me/my shop/metastore_db.",
]


def test_the_folder_of_a_held_database_is_found():
    assert locked_folder(LOCKED) == "/home/me/my shop/metastore_db"


def test_another_error_is_not_taken_for_it():
    assert locked_folder(LOCKED[:2]) is None


@pytest.mark.parametrize(
    "error", [TypeError("'JavaPackage' object is not callable"), Py4JError("no such method")]
)
def test_a_spark_without_hive_or_derby_is_left_to_say_so_itself(error):
    def absent():
        raise error

    session = SimpleNamespace(
        conf=SimpleNamespace(get={"spark.sql.catalogImplementation": "hive"}.get),
        _jvm=None,
        _jsparkSession=SimpleNamespace(sessionState=absent),
    )
    assert refuse_locked(session) is None
