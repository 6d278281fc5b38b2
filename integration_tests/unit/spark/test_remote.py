"""A server's session: its confs."""

import pytest

from dbt.adapters.adaptive_spark.conf.conf_entry import ConfEntry
from dbt.adapters.adaptive_spark.conf.conf_scope import SecretExposed
from dbt.adapters.adaptive_spark.spark.remote import Remote


def test_a_servers_confs_are_read_at_once_and_set_one_by_one(make_server):
    server = make_server({"spark.a": "1", "spark.sql.shuffle.partitions": "7"})
    remote = Remote(server)
    assert remote.explicit(["spark.a", "spark.b"]) == {"spark.a": "1", "spark.b": None}
    remote.set(ConfEntry("spark.a", "it's; `x`"))
    remote.unset("spark.b")
    assert server.executed == ["SET", "SET `spark.a`=`it's; ``x```", "RESET `spark.b`"]


def test_a_secret_is_in_no_statement(make_server):
    server = make_server({})
    with pytest.raises(SecretExposed, match="Set it where the server is started"):
        Remote(server).set(ConfEntry("spark.my.password", "hunter2"))
    assert server.executed == []
