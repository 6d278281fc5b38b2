"""A new session gets what it lacks of the profile, in this process's Spark and on a server by the same rules."""

from types import SimpleNamespace

import pytest
from dbt.adapters.exceptions.connection import FailedToConnectError
from pyspark.errors import PySparkException

import dbt.adapters.adaptive_spark.spark.begin_session as begin_session_module
from dbt.adapters.adaptive_spark.conf.conf_scope import SparkEndedError
from dbt.adapters.adaptive_spark.spark.begin_session import begin_session, leave_profile
from dbt.adapters.adaptive_spark.spark.cursor import SessionHandle
from dbt.adapters.adaptive_spark.spark.remote import Remote
from dbt.adapters.adaptive_spark.spark.session_conf import SESSION_DEFAULTS, START_DEFAULTS
from dbt.adapters.adaptive_spark.spark.spark_end import context_stopped

FIXED = "[CANNOT_MODIFY_STATIC_CONFIG] Cannot modify the value of the static Spark config"


class RuntimeConf:
    """The confs of a PySpark session, which refuses some values; to unset a key, that of None."""

    def __init__(self, confs, refuses):
        self.confs, self.refuses = dict(confs), refuses
        self.set_here = {}

    def unset(self, key):
        self.set(key, None)

    def get(self, key, default):
        return self.confs.get(key, default)

    def set(self, key, value):
        if (key, value) in self.refuses:
            raise PySparkException(self.refuses[key, value])
        self.set_here[key] = value


class OnServer:
    """A session of a server with some confs."""

    def __init__(self, make_server, confs, refuses):
        said = {f"SET `{key}`=`{value}`": text for (key, value), text in refuses.items()}
        self.server = make_server(confs, said)
        self.session = Remote(self.server)

    @property
    def was_set(self):
        return [sql for sql in self.server.executed if sql != "SET" and sql not in self.server.refuses]


class InProcess:
    """A session of the Spark of this process with some confs."""

    def __init__(self, _, confs, refuses):
        self.conf = RuntimeConf(confs, refuses)
        running = SimpleNamespace(isStopped=lambda: False)
        context = SimpleNamespace(_jsc=SimpleNamespace(sc=lambda: running))
        session = SimpleNamespace(conf=self.conf, sparkContext=context)
        self.session = SessionHandle(session, lambda: None)

    @property
    def was_set(self):
        return [f"SET `{key}`=`{value}`" for key, value in self.conf.set_here.items()]


@pytest.fixture(params=[InProcess, OnServer])
def new_session(request, make_server):
    """Makes a session of the confs that it has, and of the values that it refuses with what it says."""
    return lambda confs, refuses=None: request.param(make_server, confs, refuses or {})


def test_a_session_gets_the_defaults_that_its_own_confs_leave_open(new_session):
    new = new_session({"spark.sql.cbo.enabled": "false", "spark.sql.cbo.joinReorder.enabled": "true"})
    begin_session(new.session, {})
    assert new.was_set == [
        "SET `spark.sql.ansi.enabled`=`false`",
        "SET `spark.sql.cbo.planStats.enabled`=`true`",
        "SET `spark.sql.cbo.starSchemaDetection`=`true`",
        "SET `spark.sql.statistics.histogram.enabled`=`true`",
        "SET `spark.sql.iceberg.report-column-stats`=`false`",
    ]


def test_a_session_gets_the_profiles_confs_and_none_that_it_has_already(new_session):
    new = new_session({**SESSION_DEFAULTS, "spark.a": "1", "spark.b": "2", "spark.of.path": "file:/w"})
    profile = {"spark.a": "1", "spark.b": "3", "spark.sql.ansi.enabled": "true", "spark.of.path": "/w"}
    opening = begin_session(new.session, profile)
    assert new.was_set == ["SET `spark.b`=`3`", "SET `spark.sql.ansi.enabled`=`true`"]
    assert (opening.given, opening.fixed) == ({"spark.b": "3", "spark.sql.ansi.enabled": "true"}, frozenset())


def test_confs_that_are_fixed_are_returned_and_the_others_set(new_session):
    new = new_session(SESSION_DEFAULTS, {("spark.sql.warehouse.dir", "/w"): FIXED})
    # Spark would take a SET of the second without a word
    profile = {"spark.sql.warehouse.dir": "/w", "spark.hadoop.fs.x": "y", "spark.a": "1"}
    opening = begin_session(new.session, profile)
    assert opening.given == {"spark.a": "1"}
    assert opening.fixed == {"spark.sql.warehouse.dir", "spark.hadoop.fs.x"}
    assert new.was_set == ["SET `spark.a`=`1`"]


def test_confs_that_are_known_to_be_fixed_are_not_tried(new_session):
    new = new_session(SESSION_DEFAULTS, {("spark.x", "1"): "tried"})
    assert begin_session(new.session, {"spark.x": "1"}, frozenset({"spark.x"})).fixed == {"spark.x"}


def test_a_value_that_spark_refuses_is_one_sentence(new_session):
    refuses = {("spark.n", "abc"): "[INVALID_CONF_VALUE] It should be an int.\n\tat org.apache"}
    with pytest.raises(FailedToConnectError) as error:
        begin_session(new_session({}, refuses).session, {"spark.n": "abc"})
    assert error.value.msg == (
        "server_side_parameters: spark.n: abc is refused by Spark: [INVALID_CONF_VALUE] It should be an int."
    )


def test_a_default_that_spark_refuses_is_left_as_it_is_and_not_tried_again(new_session, monkeypatch):
    warnings = []
    monkeypatch.setattr(begin_session_module, "_logger", SimpleNamespace(warning=warnings.append))
    denied = {("spark.sql.cbo.enabled", "true"): "spark.sql.cbo.enabled is not in the list.\n\tat org.apache"}
    new = new_session({}, denied)
    opening = begin_session(new.session, {})
    assert (opening.fixed, opening.refused) == (frozenset(), {"spark.sql.cbo.enabled"})
    assert "SET `spark.sql.cbo.planStats.enabled`=`true`" in new.was_set
    assert warnings == [
        "Spark refuses spark.sql.cbo.enabled: true, which dbt-adaptive-spark sets where nobody else does, and goes on without it: "
        "spark.sql.cbo.enabled is not in the list."
    ]
    again = begin_session(new_session({}, denied).session, {}, opening.refused)
    assert again.refused == opening.refused
    assert len(warnings) == 1


def test_what_may_be_a_secret_is_nowhere_in_its_refusal(new_session):
    refuses = {("spark.tokens.kept", "hunter2"): "hunter2 is no number."}
    with pytest.raises(FailedToConnectError) as error:
        begin_session(new_session({}, refuses).session, {"spark.tokens.kept": "hunter2"})
    assert error.value.msg == "server_side_parameters: spark.tokens.kept: (hidden) is refused by Spark."
    assert error.value.__cause__ is None


def test_a_value_that_spark_would_replace_is_one_sentence(make_server):
    with pytest.raises(FailedToConnectError) as error:
        begin_session(OnServer(make_server, {}, {}).session, {"spark.n": "${x}"})
    assert error.value.msg == (
        "server_side_parameters: spark.n: ${x} is refused by Spark: Spark would replace ${...} in it"
    )


def test_a_profile_that_spark_was_started_with_is_left(make_server):
    given = {
        "spark.mine": "1",
        "spark.sql.session.timeZone": "Asia/Tokyo",
        "spark.sql.ansi.enabled": "true",
        "spark.kept": "1",
        "spark.of.program": "1",
        "spark.sql.warehouse.dir": "/w",
        "spark.driver.memory": "2g",
    }
    site = {"spark.sql.session.timeZone": "UTC"}
    refuses = {("spark.sql.warehouse.dir", None): FIXED}
    now = {**given, "spark.of.program": "2", "spark.sql.warehouse.dir": "file:/w"}
    new = InProcess(make_server, now, refuses)
    kept = leave_profile(new.session, given, {"spark.kept": "2"}, {**START_DEFAULTS, **site})
    assert kept == {"spark.sql.warehouse.dir", "spark.driver.memory"}
    assert new.conf.set_here == {
        "spark.mine": None,
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.ansi.enabled": "false",
    }
    assert leave_profile(new.session, {}, {}, {}) == frozenset()


def test_a_spark_that_has_ended_is_not_taken_for_one_that_refuses():
    def ended(entry):
        raise context_stopped()

    with pytest.raises(SparkEndedError, match="Spark was stopped while dbt was running"):
        begin_session(SimpleNamespace(explicit=lambda keys: {}, set=ended), {})
