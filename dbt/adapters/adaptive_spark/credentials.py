"""The profile: how to reach Spark. The first step of the corridor; nothing here starts anything."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import dataclass, field, fields
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import Any, ClassVar

from dbt.adapters.spark.connections import SparkConnectionMethod, SparkCredentials
from dbt_common.dataclass_schema import ValidationError
from dbt_common.exceptions import DbtRuntimeError

from dbt.adapters.adaptive_spark.conf.catalog_name import catalog_of
from dbt.adapters.adaptive_spark.conf.conf_entry import (
    SECRET_REMEDY,
    as_text,
    from_text,
    holds_secret,
    is_key,
    shown,
)
from dbt.adapters.adaptive_spark.conf.conf_keys import OF_ADAPTER, conf_fault, nearest
from dbt.adapters.adaptive_spark.conf.extras import pip_install
from dbt.adapters.adaptive_spark.conf.installed_pyspark import unusable_pyspark

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
# dbt's filters by which a text of Jinja becomes a value, by the type of that
_FILTERS = {"boolean": (bool, "as_bool"), "integer": (int, "as_number"), "number": (int, "as_number")}
_NEEDED = {
    SparkConnectionMethod.SESSION: ("pyspark", "session"),
    SparkConnectionMethod.THRIFT: ("pyhive", "thrift"),
    SparkConnectionMethod.HTTP: ("pyhive", "thrift"),
}
# where Spark's Thrift server has its service unless hive.server2.thrift.http.path says otherwise
_HTTP_PATH = "cliservice"
# those of dbt-spark that hold tables
_FILE_FORMATS = ("delta", "iceberg", "hudi", "parquet", "orc", "hive", "csv", "json", "text")
_WITH_PASSWORD = ("LDAP", "CUSTOM")
_HTTP_AUTH = ("NONE", "NOSASL", *_WITH_PASSWORD)


@dataclass
class AdaptiveSparkCredentials(SparkCredentials):
    """dbt-spark's credentials, with Spark in this process (`method: session`) as the default.

    `database`, or `catalog`, is the Spark catalog of models and sources that name none; None is the session's. `jar`
    names another jar of the extension than the one that comes with this package. `http_path` is where a
    Spark Thrift server in HTTP mode has its service; with `cluster`, `method: http` is dbt-spark's, for
    Databricks. `target_type` is what Jinja's `target.type` says: `spark`, so that projects and packages take the
    branches of Spark, or `adaptive_spark`. `poll_interval` is 1 s, and 5 s in dbt-spark: a statement would end up to
    5 s late. Spark's server answers each question only after 5 s, or once the statement has ended.
    """

    _ALIASES: ClassVar[dict[str, str]] = {"catalog": "database"}

    method: SparkConnectionMethod = SparkConnectionMethod.SESSION
    server_side_parameters: dict[str, Any] = field(default_factory=dict)
    jar: str | None = None
    http_path: str | None = None
    target_type: str = _TARGET_TYPES[0]
    file_format: str | None = None
    poll_interval: int = 1

    @classmethod
    def validate(cls, data: Any) -> None:
        """Checks a profile as dbt does, and besides names the key of a wrong value and a key that is unknown.

        Raises DbtRuntimeError.
        """
        known = [*(each.name for each in fields(cls)), *cls._ALIASES]
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
        fault = _server_fault(self)
        if fault is not None:
            raise DbtRuntimeError(fault)
        if self.is_own_http:
            self.http_path = (self.http_path or _HTTP_PATH).strip("/")
        if self.target_type not in _TARGET_TYPES:
            raise DbtRuntimeError(
                f"target_type: {self.target_type!r} is not one of {', '.join(_TARGET_TYPES)}. "
                f"Leave it out for the default, {_TARGET_TYPES[0]}."
            )
        if self.file_format is not None and self.file_format not in _FILE_FORMATS:
            raise DbtRuntimeError(
                f"file_format: {self.file_format!r} is not one of {', '.join(_FILE_FORMATS)}. "
                "Leave it out for Spark's default, parquet."
            )
        parameters = _as_texts(self.server_side_parameters)
        host, catalog = self.host, _catalog(self)
        self.database = None  # dbt-spark refuses one
        if self.method == SparkConnectionMethod.SESSION:
            self.host = host or ""  # dbt-spark demands one even where nothing is called
        super().__post_init__()
        if self.method == SparkConnectionMethod.SESSION:
            self.host = host
        self.database = catalog
        # dbt-spark forces ANSI off over the user's own value; here that is a default of each session (session_conf)
        self.server_side_parameters = parameters
        if self.method != SparkConnectionMethod.SESSION:
            _refuse_secrets(parameters)

    @property
    def is_own_http(self) -> bool:
        """True for a Spark Thrift server in HTTP mode, which dbt-spark does not reach."""
        return self.method == SparkConnectionMethod.HTTP and not self.cluster

    @property
    def is_thrift_server(self) -> bool:
        """True for a Spark Thrift server, in either mode."""
        return self.method == SparkConnectionMethod.THRIFT or self.is_own_http

    @property
    def login_keys(self) -> str:
        """The keys that log in, for a sentence."""
        if self.method == SparkConnectionMethod.ODBC:
            return "token, or the login in connection_string_suffix,"
        if self.token is not None or not self.is_thrift_server:
            return "token"
        return "user and password" if self.is_own_http else "user, password and auth"

    def _check_installed(self) -> None:
        module, extra = _NEEDED.get(self.method, (None, ""))
        if module is not None and find_spec(module) is None:
            raise DbtRuntimeError(
                f"method {self.method} needs {module}, which is not installed. "
                f"Install it with `{pip_install(extra)}`."
            )
        if self.method == SparkConnectionMethod.SESSION and not hasattr(_pyspark(), "SparkContext"):
            raise DbtRuntimeError(
                "method session starts a Spark, which pyspark-client cannot: it only speaks to servers. Put the whole "
                "pyspark in its place: `pip uninstall pyspark-client`, then "
                f"`{pip_install('session', '--force-reinstall')}`."
            )

    @property
    def type(self) -> str:
        """The adapter's name, by which dbt finds the plugin; `target_type` where dbt makes Jinja's `target` of it.

        dbt reads this one property for both. A caller of another name gets the adapter's, so a dbt that renames its
        method changes `target.type` and nothing else.
        """
        asks = sys._getframe(1).f_code.co_name  # Python's only name for the caller's frame
        return self.target_type if asks == _MAKES_TARGET else ADAPTER_TYPE

    @property
    def unique_field(self) -> str:
        return self.host or str(self.method)

    def _connection_keys(self) -> tuple[str, ...]:
        # dbt parses anew where one of these has changed, as it must where `target.type` or the catalog has
        parsed_by = ("target_type",) if self.database is None else ("database", "target_type")
        if self.method == SparkConnectionMethod.SESSION:
            return ("method", "schema", *parsed_by)
        if self.method == SparkConnectionMethod.ODBC:
            # dbt-spark's seeds look for `target.method`, and break over ODBC where they find it
            return (*super()._connection_keys(), *parsed_by)
        http = ("http_path", "use_ssl") if self.is_own_http else ()
        return ("method", *super()._connection_keys(), *http, *parsed_by)

    def connection_info(self, *, with_aliases: bool = False) -> Iterable[tuple[str, Any]]:
        """Names and values that `dbt debug` lists before it connects.

        The versions and the jar in use follow once it has.
        """
        yield from super().connection_info(with_aliases=with_aliases)
        if self.jar is not None:
            yield "jar", self.jar
        if self.file_format is not None:
            yield "file_format", self.file_format


def _catalog(profile: AdaptiveSparkCredentials) -> str | None:
    try:
        return catalog_of(profile.database, profile.schema)
    except ValueError as fault:
        raise DbtRuntimeError(f"{fault}.") from None


def _fault(error: ValidationError) -> str:
    """The sentence for a value that the schema of a profile does not allow, without a secret in it."""
    key = ".".join(map(str, error.path))
    value = shown(key, repr(error.instance))
    if error.validator == "enum":
        return f"{key}: {value} is not one of {', '.join(error.validator_value)}."
    types = [each.get("type") for each in error.validator_value] if error.validator == "anyOf" else []
    allowed = [each for each in types or [error.validator_value] if each != "null"]
    sentence = f"{key}: {value} is not {' or '.join(_TYPES.get(each, str(each)) for each in allowed)}."
    return f"{sentence} {_remedy(error.instance, allowed)}".rstrip()


def _remedy(value: Any, allowed: Iterable[str]) -> str:
    """How a text that stands for a value of an allowed type becomes one; empty for other values."""
    meant = type(from_text(value)) if isinstance(value, str) else None
    filters = [filter_ for kind, (type_, filter_) in _FILTERS.items() if kind in allowed and meant is type_]
    return f"Write it without quotes, or as \"{{{{ env_var('NAME') | {filters[0]} }}}}\"." if filters else ""


def _server_fault(profile: AdaptiveSparkCredentials) -> str | None:
    """The sentence for keys of a server that do not go together; None where they do."""
    if profile.method != SparkConnectionMethod.HTTP:
        if profile.http_path is not None:
            return f"http_path is for method http: method {profile.method} has no path. Leave it out."
        return None
    if profile.cluster:
        return _databricks_fault(profile)
    if "/" in (profile.host or "").rstrip("/"):  # which may hold a password, too
        return (
            "host has a slash, so it is more than a name. Write the name alone, the path as http_path, "
            "and use_ssl: true for https."
        )
    if profile.endpoint is not None:
        return (
            "endpoint is for method odbc. Leave it out, and name the path of the server's Thrift service in "
            f"http_path (default {_HTTP_PATH})."
        )
    if profile.auth is not None and profile.auth not in _HTTP_AUTH:
        return (
            f"auth: {profile.auth!r} is not one of {', '.join(_HTTP_AUTH)}, which method http has. "
            "Leave it out for a user and password, or use method thrift."
        )
    if profile.token is not None and (profile.user is not None or profile.password is not None):
        return "token and user or password are two logins. Keep one: token alone, or user with password."
    if profile.password is not None and not profile.user:
        return "password is there without user. Add user, or leave password out."
    if profile.auth in _WITH_PASSWORD and profile.password is None and profile.token is None:
        return f"auth: {profile.auth} needs user and password. Add them, or leave auth out."
    if profile.user is not None and ":" in profile.user:  # after which a password may stand
        return "user has a colon, which HTTP's login takes for its end. Write the name alone."
    return None


def _databricks_fault(profile: AdaptiveSparkCredentials) -> str | None:
    if profile.http_path is not None:
        return (
            "cluster and http_path exclude each other: cluster is of Databricks, http_path of a Spark Thrift server in "
            "HTTP mode. Keep one."
        )
    if not profile.token:
        return (
            "cluster is there without token: method http with a cluster is Databricks', which wants one. Add token, or "
            "leave cluster out for a Spark Thrift server in HTTP mode."
        )
    return None


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


def _pyspark() -> ModuleType:
    try:
        return import_module("pyspark")
    except Exception as error:  # one for an older Python raises whatever it meets first
        raise DbtRuntimeError(unusable_pyspark(error)) from error
