"""Gives a new session, here or on a server, what it lacks of the profile's confs and of the defaults."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from dbt.adapters.events.logging import AdapterLogger
from dbt.adapters.exceptions.connection import FailedToConnectError

from dbt.adapters.adaptive_spark.conf.conf_entry import ConfEntry, is_secret, shown
from dbt.adapters.adaptive_spark.conf.conf_scope import (
    Confs,
    SparkEndedError,
    is_fixed,
    is_of_start,
    put_back,
    refuse_of_start,
)
from dbt.adapters.adaptive_spark.spark.session_conf import SESSION_DEFAULTS, is_given, opening_conf

_logger = AdapterLogger("AdaptiveSpark")


@dataclass(frozen=True)
class OpeningConfs:
    """Confs that a new session lacked.

    `given` has been set. `fixed` are the profile's keys that Spark takes only when it starts. `refused` are defaults of
    ours that it does not take.
    """

    given: Mapping[str, str]
    fixed: frozenset[str]
    refused: frozenset[str] = frozenset()


def leave_profile(
    confs: Confs, started: Mapping[str, str], profile: Mapping[str, str], others: Mapping[str, str]
) -> frozenset[str]:
    """Takes back, in a new session, the confs that another profile gave Spark when it `started` and this one lacks.
    They get the values that `others` have, if they do. What the program has set since stays.

    Returns the keys that Spark keeps as it was started with them.
    """
    lacking = [key for key in started if key not in profile]
    now = confs.explicit(lacking)
    kept = {key for key in lacking if is_given(now[key], started[key])}
    fixed = {key for key in kept if is_of_start(key)}
    return frozenset(fixed.union(put_back(confs, {key: others.get(key) for key in kept - fixed})))


def begin_session(
    confs: Confs,
    profile: Mapping[str, str],
    known: frozenset[str] = frozenset(),
    explicit: Mapping[str, str | None] | None = None,
) -> OpeningConfs:
    """Sets on a new session what it lacks of `profile` and of the defaults, save the keys that are `known` to be fixed
    or refused. `explicit` is what is set in it, where the caller has read that.

    Raises FailedToConnectError where Spark refuses a value of the profile's; a default that it refuses stays as it is.
    """
    given = {}
    fixed, refused = known & profile.keys(), known - profile.keys()
    if explicit is None:
        explicit = confs.explicit([*SESSION_DEFAULTS, *profile])
    for key, value in opening_conf(profile, explicit).items():
        if key in known:
            continue
        try:
            refuse_of_start(key)
            confs.set(ConfEntry(key, value))
        except SparkEndedError:
            raise
        except Exception as error:  # noqa: BLE001  # each driver has its own
            if key not in profile:
                _logger.warning(
                    f"Spark refuses {key}: {value}, which dbt-adaptive-spark sets where nobody else does, and goes on without it: "
                    f"{_first_line(error)}"
                )
                refused |= {key}
            elif is_fixed(error):
                fixed |= {key}
            else:
                # a secret may be in Spark's own message
                raise _refusal(key, value, error) from (None if is_secret(key, value) else error)
        else:
            given[key] = value
    return OpeningConfs(given, fixed, refused)


def _refusal(key: str, value: str, error: Exception) -> FailedToConnectError:
    what = f"server_side_parameters: {key}: {shown(key, value)} is refused by Spark"
    return FailedToConnectError(f"{what}." if is_secret(key, value) else f"{what}: {_first_line(error)}")


def _first_line(error: Exception) -> str:
    return str(error).strip().partition("\n")[0]
