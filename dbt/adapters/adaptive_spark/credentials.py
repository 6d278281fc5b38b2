"""The profile: how to reach Spark. The first step of the corridor; nothing here starts anything."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import dataclass, field, fields
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from dbt.adapters.spark.connections import SparkConnectionMethod, SparkCredentials
from dbt_common.dataclass_schema import ValidationError
from dbt_common.exceptions import DbtRuntimeError

from dbt.adapters.adaptive_spark.conf.conf_entry import SECRET_REMEDY, as_text, holds_secret, is_key, shown
from dbt.adapters.adaptive_spark.conf.conf_keys import OF_ADAPTER, conf_fault, nearest
from dbt.adapters.adaptive_spark.conf.extras import pip_install

ADAPTER_TYPE = "adaptive_spark"
_TARGET_TYPES = ("spark", ADAPTER_TYPE)
# the method of dbt's profiles that makes Jinja's `target`
_MAKES_TARGET = "to_target_dict"
_TYPES = {
    "string": "text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "object": "a dictionary",
}
_NEEDED = {
    SparkConnectionMethod.SESSION: ("pyspark", "session"),
    SparkConnectionMethod.THRIFT: ("pyhive", "thrift"),
    SparkConnectionMethod.HTTP: ("pyhive", "thrift"),
}


@dataclass
class AdaptiveSparkCredentials(SparkCredentials):
    """dbt-spark's credentials, with Spark in this process (`method: session`) as the default.

    `jar` names another jar of the extension than the one that comes with this package. `target_type` is what Jinja's
    `target.type` says: `spark`, so that projects and packages take the branches of Spark, or `adaptive_spark`.
    """

    method: SparkConnectionMethod = SparkConnectionMethod.SESSION
    server_side_parameters: dict[str, Any] = field(default_factory=dict)
    jar: str | None = None
    target_type: str = _TARGET_TYPES[0]

    @classmethod
    def validate(cls, data: Any) -> None:
        """As dbt's, which says neither the key of a wrong value nor that a key is unknown. Raises DbtRuntimeError."""
        known = [each.name for each in fields(cls)]
        for name in data:
            if name not in known:
                raise DbtRuntimeError(
                    f"{name} is not a key of a profile of type adaptive_spark. {nearest(name, known)}"
                )
        try:
            super().validate(data)
        except ValidationError as error:
            raise DbtRuntimeError(_fault(error)) from None

    def __post_init__(self) -> None:
        self._check_installed()
        if self.jar is not None and self.method != SparkConnectionMethod.SESSION:
            raise DbtRuntimeError(
                f"jar is for method session: with method {self.method}, the server has the jar. Leave it out."
            )
        if self.target_type not in _TARGET_TYPES:
            raise DbtRuntimeError(
                f"target_type: {self.target_type!r} is not one of {', '.join(_TARGET_TYPES)}. "
                f"Leave it out for the default, {_TARGET_TYPES[0]}."
            )
        parameters = _as_texts(self.server_side_parameters)
        host = self.host
        if self.method == SparkConnectionMethod.SESSION:
            self.host = host or ""  # dbt-spark demands one even where nothing is called
        super().__post_init__()
        self.host = host
        # dbt-spark forces ANSI off over the user's own value; here that is a default of each session (session_conf)
        self.server_side_parameters = parameters
        if self.method != SparkConnectionMethod.SESSION:
            _refuse_secrets(parameters)

    def _check_installed(self) -> None:
        module, extra = _NEEDED.get(self.method, (None, ""))
        if module is not None and find_spec(module) is None:
            raise DbtRuntimeError(
                f"method {self.method} needs {module}, which is not installed. "
                f"Install it with `{pip_install(extra)}`."
            )
        if self.method == SparkConnectionMethod.SESSION and not hasattr(
            import_module("pyspark"), "SparkContext"
        ):
            raise DbtRuntimeError(
                "method session starts a Spark, which pyspark-client cannot: it only speaks to servers. Put the whole "
                "pyspark in its place: `pip uninstall pyspark-client`, then "
                f"`{pip_install('session', '--force-reinstall')}`."
            )

    @property
    def type(self) -> str:
        """The adapter's name, by which dbt finds the plugin; `target_type` where dbt makes Jinja's `target` of it.

        dbt reads this one property for both. A caller of another name gets the adapter's, so a dbt that renames its method
        changes `target.type` and nothing else.
        """
        asks = sys._getframe(1).f_code.co_name  # Python's only name for the caller's frame
        return self.target_type if asks == _MAKES_TARGET else ADAPTER_TYPE

    @property
    def unique_field(self) -> str:
        return self.host or str(self.method)

    def _connection_keys(self) -> tuple[str, ...]:
        # dbt parses anew where one of these has changed, as it must where `target.type` has
        if self.method == SparkConnectionMethod.SESSION:
            return "method", "schema", "target_type"
        if self.method == SparkConnectionMethod.ODBC:
            # dbt-spark's seeds look for `target.method`, and break over ODBC where they find it
            return (*super()._connection_keys(), "target_type")
        return ("method", *super()._connection_keys(), "target_type")

    def connection_info(self, *, with_aliases: bool = False) -> Iterable[tuple[str, Any]]:
        """What `dbt debug` lists before it connects; the versions and the jar in use follow once it has."""
        yield from super().connection_info(with_aliases=with_aliases)
        if self.jar is not None:
            yield "jar", self.jar


def _fault(error: ValidationError) -> str:
    """The sentence for a value that the schema of a profile does not allow, without a secret in it."""
    key = ".".join(map(str, error.path))
    value = shown(key, repr(error.instance))
    if error.validator == "enum":
        return f"{key}: {value} is not one of {', '.join(error.validator_value)}."
    types = [each.get("type") for each in error.validator_value] if error.validator == "anyOf" else []
    allowed = [each for each in types or [error.validator_value] if each != "null"]
    return f"{key}: {value} is not {' or '.join(_TYPES.get(each, str(each)) for each in allowed)}."


def _refuse_secrets(parameters: dict[str, str]) -> None:
    secrets = ", ".join(key for key, value in parameters.items() if holds_secret(key, value))
    if secrets:
        raise DbtRuntimeError(f"server_side_parameters: {secrets} would hold a secret. {SECRET_REMEDY}")


def _as_texts(parameters: dict[str, Any]) -> dict[str, str]:
    texts = {}
    for key, value in parameters.items():
        if not is_key(key):
            raise DbtRuntimeError(f"server_side_parameters: {shown('', repr(key))} is not a Spark conf key.")
        if key in OF_ADAPTER:
            raise DbtRuntimeError(
                f"server_side_parameters: {key} is set by the adapter itself. Leave it out."
            )
        try:
            texts[key] = as_text(value)
        except TypeError as error:
            raise DbtRuntimeError(f"server_side_parameters: {key}: {error}.") from None
        fault = conf_fault(key, texts[key])
        if fault is not None:
            raise DbtRuntimeError(f"server_side_parameters: {fault}")
    return texts
