"""The profile: how to reach Spark. The first step of the corridor; nothing here starts anything."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from importlib.util import find_spec
from typing import Any

from dbt.adapters.spark.connections import SparkConnectionMethod, SparkCredentials
from dbt_common.exceptions import DbtRuntimeError

from dbt.adapters.adaptive_spark.conf_entry import as_text, is_key
from dbt.adapters.adaptive_spark.conf_specs import conf_fault

_ANSI = "spark.sql.ansi.enabled"
_NEEDED = {
    SparkConnectionMethod.SESSION: ("pyspark", "session"),
    SparkConnectionMethod.THRIFT: ("pyhive", "thrift"),
    SparkConnectionMethod.HTTP: ("pyhive", "thrift"),
}


@dataclass
class AdaptiveSparkCredentials(SparkCredentials):
    """dbt-spark's credentials, with Spark in this process (`method: session`) as the default.

    `jar` names another jar of the extension than the one that comes with this package.
    """

    method: SparkConnectionMethod = SparkConnectionMethod.SESSION
    server_side_parameters: dict[str, Any] = field(default_factory=dict)
    jar: str | None = None

    def __post_init__(self) -> None:
        self._check_installed()
        parameters = _as_texts(self.server_side_parameters)
        host = self.host
        if self.method == SparkConnectionMethod.SESSION:
            self.host = host or ""  # dbt-spark demands one even where nothing is called
        super().__post_init__()
        self.host = host
        # dbt-spark forces ANSI off over the user's own value; here that is only the default
        self.server_side_parameters = {_ANSI: "false", **parameters}

    def _check_installed(self) -> None:
        module, extra = _NEEDED.get(self.method, (None, None))
        if module is not None and find_spec(module) is None:
            raise DbtRuntimeError(
                f"method {self.method} needs {module}, which is not installed. "
                f"Install it with `pip install dbt-adaptive-spark[{extra}]`."
            )

    @property
    def type(self) -> str:
        return "adaptive_spark"

    @property
    def unique_field(self) -> str:
        return self.host or str(self.method)

    def _connection_keys(self) -> tuple[str, ...]:
        if self.method == SparkConnectionMethod.SESSION:
            return "method", "schema"
        if self.method == SparkConnectionMethod.ODBC:
            # dbt-spark's seeds look for `target.method`, and break over ODBC where they find it
            return super()._connection_keys()
        return ("method", *super()._connection_keys())

    def connection_info(self, *, with_aliases: bool = False) -> Iterable[tuple[str, Any]]:
        """What `dbt debug` lists before it connects; the versions and the jar in use follow once it has."""
        yield from super().connection_info(with_aliases=with_aliases)
        if self.jar is not None:
            yield "jar", self.jar


def _as_texts(parameters: dict[str, Any]) -> dict[str, str]:
    texts = {}
    for key, value in parameters.items():
        if not is_key(key):
            raise DbtRuntimeError(f"server_side_parameters: {key!r} is not a Spark conf key.")
        try:
            texts[key] = as_text(value)
        except TypeError as error:
            raise DbtRuntimeError(f"server_side_parameters: {key}: {error}.") from None
        fault = conf_fault(key, texts[key])
        if fault is not None:
            raise DbtRuntimeError(f"server_side_parameters: {fault}")
    return texts
