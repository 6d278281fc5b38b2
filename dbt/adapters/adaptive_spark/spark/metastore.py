"""Tells before Spark opens its metastore that another process holds it: Hive would try
for 20 s, and log 12,000 lines.
"""

from __future__ import annotations

import re
from typing import Any

from dbt.adapters.exceptions.connection import FailedToConnectError
from py4j.protocol import Py4JError, Py4JJavaError
from pyspark.sql import SparkSession

from dbt.adapters.adaptive_spark.spark.cursor import causes
from dbt.adapters.adaptive_spark.spark.session_conf import METASTORE_SERVERS, TABLE_LIST_KEY

_URL = "javax.jdo.option.ConnectionURL"
_LOCKED = re.compile(r"XSDB6.* the database (?P<folder>.+?)\.?$")


def refuse_locked(session: SparkSession) -> None:
    """Raises FailedToConnectError where the metastore is a Derby database that another process has opened.

    Derby keeps a database open for the whole process, so that Spark finds it as it is after this.
    """
    jvm: Any = session._jvm
    try:
        url = _derby(session)
        if url is None:
            return
        jvm.org.apache.derby.jdbc.EmbeddedDriver().connect(url, jvm.java.util.Properties()).close()
    except Py4JJavaError as error:
        folder = locked_folder(causes(error.java_exception))
        if folder is None:  # Spark says itself what else is wrong
            return
        raise FailedToConnectError(
            f"Spark's metastore {folder} is in use by another process, such as another dbt or a notebook: Derby, which "
            "Spark keeps it in by default, serves one at a time. Wait until that one has ended, or start dbt in another "
            f"folder, or name a metastore that several can use (spark.hadoop.{METASTORE_SERVERS}, or a database server in "
            f"spark.hadoop.{_URL})."
        ) from None
    except (Py4JError, TypeError):  # a Spark without Hive or Derby, whose classes are not there to be asked
        return


def locked_folder(messages: list[str]) -> str | None:
    """The folder of a database that another process holds, by the messages of Derby's error and its causes."""
    return next((found["folder"] for message in messages if (found := _LOCKED.search(message))), None)


def _derby(session: SparkSession) -> str | None:
    """The URL of a Derby database in a folder, None for every other metastore, and where Spark loads Derby apart."""
    if session.conf.get(TABLE_LIST_KEY, "in-memory") != "hive":
        return None
    if session.conf.get("spark.sql.hive.metastore.jars", "builtin") != "builtin":
        return None
    jvm: Any = session._jvm
    hadoop = session._jsparkSession.sessionState().newHadoopConf()
    hive = jvm.org.apache.hadoop.hive.conf.HiveConf()
    if hadoop.get(METASTORE_SERVERS) or hive.get(METASTORE_SERVERS):
        return None
    url = str(hadoop.get(_URL) or hive.get(_URL))
    return url if url.startswith("jdbc:derby:") and not url.startswith("jdbc:derby://") else None
