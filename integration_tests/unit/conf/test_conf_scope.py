"""The confs before a node are the confs after it, however the node ends."""

import pytest
from dbt_common.exceptions import DbtDatabaseError, DbtRuntimeError, DbtValidationError

from dbt.adapters.adaptive_spark.conf.conf_entry import ConfEntry
from dbt.adapters.adaptive_spark.conf.conf_scope import ConfScope, SecretExposed
from dbt.adapters.adaptive_spark.spark.spark_end import process_ended

MODEL = "models/orders.sql"
STATIC = "[CANNOT_MODIFY_STATIC_CONFIG] Cannot modify the value of the static Spark config"
CORE = "[CANNOT_MODIFY_CONFIG] Cannot modify the value of the Spark config"


class Session:
    """A session's confs, which refuse some keys."""

    place_of_fixed = "where Spark starts"

    def __init__(self, confs=None, refuses=None):
        self.confs = dict(confs or {})
        self.refuses = dict(refuses or {})

    def explicit(self, keys):
        return {key: self.confs.get(key) for key in keys}

    def set(self, entry):
        if entry.key in self.refuses:
            raise RuntimeError(self.refuses[entry.key])
        self.confs[entry.key] = entry.value

    def unset(self, key):
        if self.refuses.get(key) == "gone":
            raise RuntimeError("gone")
        self.confs.pop(key, None)


def test_values_hold_inside_and_are_put_back_after():
    session = Session({"spark.a": "1", "spark.c": "3"})
    scope = ConfScope(session, [ConfEntry("spark.a", "10"), ConfEntry("spark.b", "20")])
    scope.enter(MODEL)
    assert session.confs == {"spark.a": "10", "spark.b": "20", "spark.c": "3"}
    assert scope.leave() == []
    assert session.confs == {"spark.a": "1", "spark.c": "3"}


def test_an_earlier_empty_value_is_a_value():
    session = Session({"spark.a": ""})
    scope = ConfScope(session, [ConfEntry("spark.a", "10")])
    scope.enter(MODEL)
    scope.leave()
    assert session.confs == {"spark.a": ""}


def test_a_key_named_twice_ends_as_it_was_before_the_first():
    session = Session({"spark.a": "1"})
    scope = ConfScope(session, [ConfEntry("spark.a", "2"), ConfEntry("spark.a", "3")])
    scope.enter(MODEL)
    assert session.confs == {"spark.a": "3"}
    scope.leave()
    assert session.confs == {"spark.a": "1"}


def test_what_macros_set_meanwhile_is_put_back_too():
    session = Session()
    scope = ConfScope(session, [], also=["spark.sql.sources.partitionOverwriteMode"])
    scope.enter(MODEL)
    session.confs["spark.sql.sources.partitionOverwriteMode"] = "DYNAMIC"
    scope.leave()
    assert session.confs == {}


def test_leaving_twice_changes_nothing_more():
    session = Session({"spark.a": "1"})
    scope = ConfScope(session, [ConfEntry("spark.a", "2")])
    scope.enter(MODEL)
    scope.leave()
    session.confs["spark.a"] = "5"
    assert scope.leave() == []
    assert session.confs == {"spark.a": "5"}


@pytest.mark.parametrize("answer", [STATIC, CORE, "Cannot modify the value of a static config: spark.bad"])
def test_a_refusal_half_way_puts_back_what_was_set(answer):
    session = Session({"spark.a": "1"}, refuses={"spark.bad": answer})
    entries = [ConfEntry("spark.a", "2"), ConfEntry("spark.new", "3"), ConfEntry("spark.bad", "4")]
    with pytest.raises(DbtValidationError) as error:
        ConfScope(session, entries).enter(MODEL)
    assert session.confs == {"spark.a": "1"}
    assert error.value.msg == (
        "spark_conf: spark.bad is fixed once Spark runs and cannot be set for one model (models/orders.sql). "
        "Put it where Spark starts."
    )


@pytest.mark.parametrize("key", ["spark.master", "spark.hadoop.fs.s3a.endpoint", "spark.executor.memory"])
def test_what_spark_reads_only_when_it_starts_is_refused_though_it_would_take_it(key):
    session = Session()
    with pytest.raises(DbtValidationError, match="is fixed once Spark runs and cannot be set for one model"):
        ConfScope(session, [ConfEntry(key, "1")]).enter(MODEL)
    assert session.confs == {}


def test_sparks_own_reason_is_passed_on():
    session = Session(refuses={"spark.n": "[INVALID_CONF_VALUE] It should be an int."})
    with pytest.raises(DbtValidationError) as error:
        ConfScope(session, [ConfEntry("spark.n", "abc")]).enter(MODEL)
    assert error.value.msg == (
        "spark_conf: spark.n: abc is refused by Spark (models/orders.sql): [INVALID_CONF_VALUE] It should be an int."
    )


def test_a_secret_is_nowhere_in_its_refusal():
    session = Session(refuses={"spark.my.token": "hunter2 is no token"})
    with pytest.raises(DbtValidationError) as error:
        ConfScope(session, [ConfEntry("spark.my.token", "hunter2")]).enter(MODEL)
    assert error.value.msg == "spark_conf: spark.my.token: (hidden) is refused by Spark (models/orders.sql)."
    assert error.value.__cause__ is None
    assert error.value.__suppress_context__


def test_a_secret_that_others_could_read_has_its_remedy():
    session = Session()

    def exposed(entry):
        raise SecretExposed("Set it elsewhere.")

    session.set = exposed
    with pytest.raises(DbtValidationError) as error:
        ConfScope(session, [ConfEntry("spark.my.token", "hunter2")]).enter(MODEL)
    assert error.value.msg == (
        "spark_conf: spark.my.token looks like a secret (models/orders.sql). Set it elsewhere."
    )


def test_one_key_that_cannot_be_put_back_does_not_keep_the_others():
    session = Session({"spark.b": "1"})
    scope = ConfScope(session, [ConfEntry("spark.a", "2"), ConfEntry("spark.b", "2")])
    scope.enter(MODEL)
    session.refuses = {"spark.a": "gone"}
    assert scope.leave() == ["spark.a"]
    assert session.confs["spark.b"] == "1"


class Ended:
    """A session whose Spark has ended."""

    def explicit(self, keys):
        return dict.fromkeys(keys, "1")

    def set(self, entry):
        raise process_ended(-9, None)

    def unset(self, key):
        raise process_ended(-9, None)


def test_nothing_is_put_back_in_a_spark_that_has_ended():
    session = Session({"spark.a": "1"})
    scope = ConfScope(session, [ConfEntry("spark.a", "2"), ConfEntry("spark.b", "3")])
    scope.enter(MODEL)
    session.set = session.unset = Ended().set
    assert scope.leave() == []


def test_a_spark_that_has_ended_is_not_a_value_that_it_refuses():
    with pytest.raises(DbtDatabaseError, match="Spark's process has ended"):
        ConfScope(Ended(), [ConfEntry("spark.a", "2")]).enter(MODEL)


def test_a_value_that_the_server_hides_is_not_replaced():
    session = Session({"spark.my.token": "*********(redacted)", "spark.a": "1"})
    scope = ConfScope(session, [ConfEntry("spark.a", "2"), ConfEntry("spark.my.token", "mine")])
    with pytest.raises(DbtRuntimeError) as error:
        scope.enter(MODEL)
    assert error.value.msg == (
        "spark.my.token has a value that the server hides, so it could not be put back after the model. "
        "Set it on the server only."
    )
    assert scope.leave() == []
    assert session.confs == {"spark.my.token": "*********(redacted)", "spark.a": "1"}
