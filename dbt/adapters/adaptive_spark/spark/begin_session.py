"""Gives a new session, here or on a server, what it lacks of the profile's confs and of the defaults."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from dbt.adapters.exceptions.connection import FailedToConnectError

from dbt.adapters.adaptive_spark.conf.conf_entry import ConfEntry, is_secret, shown
from dbt.adapters.adaptive_spark.conf.conf_scope import Confs, SparkEndedError, is_fixed, refuse_of_start
from dbt.adapters.adaptive_spark.spark.session_conf import SESSION_DEFAULTS, opening_conf


@dataclass(frozen=True)
class OpeningConfs:
    """What a new session lacked: `given` has been set, `fixed` are keys that Spark takes only when it starts."""

    given: Mapping[str, str]
    fixed: frozenset[str]


def begin_session(
    confs: Confs, profile: Mapping[str, str], fixed: frozenset[str] = frozenset()
) -> OpeningConfs:
    """Sets on a new session what it lacks of `profile` and of the defaults, save the keys in `fixed`.

    Raises FailedToConnectError where Spark refuses a value.
    """
    given = {}
    explicit = confs.explicit([*SESSION_DEFAULTS, *profile])
    for key, value in opening_conf(profile, explicit).items():
        if key in fixed:
            continue
        try:
            refuse_of_start(key)
            confs.set(ConfEntry(key, value))
        except SparkEndedError:
            raise
        except Exception as error:  # noqa: BLE001  # each driver has its own
            if not is_fixed(error):
                # a secret may be in Spark's own message
                raise _refusal(key, value, error) from (None if is_secret(key, value) else error)
            fixed |= {key}
        else:
            given[key] = value
    return OpeningConfs(given, fixed)


def _refusal(key: str, value: str, error: Exception) -> FailedToConnectError:
    what = f"server_side_parameters: {key}: {shown(key, value)} is refused by Spark"
    reason = str(error).strip().partition("\n")[0]
    return FailedToConnectError(f"{what}." if is_secret(key, value) else f"{what}: {reason}")
