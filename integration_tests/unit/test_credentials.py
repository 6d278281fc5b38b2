"""The keys of a profile, required and optional."""

import platform
import sys
from importlib.machinery import ModuleSpec
from types import ModuleType, SimpleNamespace

import pytest
from dbt.config.profile import Profile
from dbt_common.exceptions import DbtRuntimeError

from dbt.adapters.adaptive_spark.__version__ import version
from dbt.adapters.adaptive_spark.conf.extras import pip_install
from dbt.adapters.adaptive_spark.credentials import AdaptiveSparkCredentials


def credentials(**fields):
    return AdaptiveSparkCredentials.from_dict({"schema": "s", **fields})


def test_a_schema_is_all_a_profile_needs():
    profile = credentials()
    assert (profile.type, profile.method, profile.host) == ("adaptive_spark", "session", None)


def test_dbt_spark_does_not_turn_ansi_off_over_the_users_value():
    assert credentials().server_side_parameters == {}
    mine = credentials(server_side_parameters={"spark.sql.ansi.enabled": True})
    assert mine.server_side_parameters == {"spark.sql.ansi.enabled": "true"}


def test_a_secret_does_not_go_to_a_server():
    secret = {"spark.sql.mapKeyDedupPolicy": "LAST_WIN", "spark.hadoop.fs.s3a.secret.key": "hunter2"}
    assert credentials(server_side_parameters=secret).server_side_parameters == secret
    with pytest.raises(DbtRuntimeError) as error:
        credentials(method="thrift", host="h", server_side_parameters=secret)
    assert error.value.msg == (
        "server_side_parameters: spark.hadoop.fs.s3a.secret.key would hold a secret. It would reach the server as the "
        "text of a statement, which the server's UI and logs show. Set it where the server is started."
    )


def test_parameters_become_spark_text():
    given = {"spark.ui.enabled": False, "spark.sql.shuffle.partitions": 2, "spark.master": "local[2]"}
    assert credentials(server_side_parameters=given).server_side_parameters == {
        "spark.ui.enabled": "false",
        "spark.sql.shuffle.partitions": "2",
        "spark.master": "local[2]",
    }


def test_parameters_pass_dbts_validation_as_yaml_gives_them():
    AdaptiveSparkCredentials.validate({"schema": "s", "server_side_parameters": {"spark.ui.enabled": False}})


def test_a_parameter_that_is_no_key_is_refused():
    with pytest.raises(
        DbtRuntimeError, match=r"server_side_parameters: 'spark\.a;b' is not a Spark conf key\."
    ):
        credentials(server_side_parameters={"spark.a;b": "1"})


def test_a_parameter_without_a_value_is_refused():
    with pytest.raises(DbtRuntimeError, match=r"spark\.a\.b: NoneType is not text, a number or a boolean\."):
        credentials(server_side_parameters={"spark.a.b": None})


def test_a_parameter_of_ours_out_of_bounds_is_refused():
    with pytest.raises(DbtRuntimeError) as error:
        credentials(server_side_parameters={"spark.sql.adaptiveFilter.momentum": 1.5})
    assert error.value.msg == (
        "server_side_parameters: spark.sql.adaptiveFilter.momentum: 1.5 is not a number in [0, 1]. "
        "Leave it out for the default, 0.3."
    )


def test_a_parameter_that_is_nearly_ours_gets_the_closest_name():
    with pytest.raises(DbtRuntimeError) as error:
        credentials(server_side_parameters={"spark.sql.adaptiveFilter.colectRate": 5})
    assert error.value.msg == (
        "server_side_parameters: spark.sql.adaptiveFilter.colectRate is not a configuration of adaptive-spark. "
        "Did you mean spark.sql.adaptiveFilter.collectRate?"
    )


def test_a_host_is_still_needed_over_thrift():
    with pytest.raises(DbtRuntimeError, match="Must specify `host` in profile"):
        credentials(method="thrift")


def test_a_missing_extra_is_named(monkeypatch):
    monkeypatch.setattr("dbt.adapters.adaptive_spark.credentials.find_spec", lambda name: None)
    with pytest.raises(DbtRuntimeError, match=r"needs pyspark.*Install it with `pip install 'pyspark[<>=]"):
        credentials()
    with pytest.raises(DbtRuntimeError, match=r"needs pyhive.*`pip install 'dbt-spark\[PyHive\][<>=]"):
        credentials(method="thrift", host="h")


def test_a_pyspark_that_only_speaks_to_servers_is_not_enough(monkeypatch):
    client = ModuleType("pyspark")
    client.__spec__ = ModuleSpec("pyspark", None)
    monkeypatch.setitem(sys.modules, "pyspark", client)
    with pytest.raises(DbtRuntimeError, match="which pyspark-client cannot: it only speaks to servers"):
        credentials()


def test_a_pyspark_for_an_older_python_is_named(monkeypatch, tmp_path):
    package = tmp_path / "pyspark"
    package.mkdir()
    (package / "version.py").write_text('__version__: str = "3.4.4"\n')
    (package / "__init__.py").write_text("import distutils_of_old\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "pyspark", raising=False)
    with pytest.raises(DbtRuntimeError) as error:
        credentials()
    assert error.value.msg.startswith(
        f"pyspark 3.4.4 in {package} does not work with Python {platform.python_version()} and dbt-adaptive-spark "
        f"{version} (ModuleNotFoundError: No module named 'distutils_of_old'"
    )
    assert error.value.msg.endswith(f"Put one that does in its place: `{pip_install('session')}`.")


def test_debug_lists_no_secret():
    profile = credentials(
        jar="/x.jar", token="t0ken", server_side_parameters={"spark.my.password": "hunter2"}
    )
    assert list(profile.connection_info()) == [
        ("method", "session"),
        ("schema", "s"),
        ("target_type", "spark"),
        ("jar", "/x.jar"),
    ]


def test_debug_lists_where_a_server_is():
    listed = dict(credentials(method="thrift", host="h", port=10000).connection_info())
    assert (listed["method"], listed["host"], listed["port"]) == ("thrift", "h", 10000)


def test_debug_lists_where_a_server_in_http_mode_is_and_no_login():
    listed = dict(
        credentials(method="http", host="h", port=1, user="ann", password="hunter2").connection_info()
    )
    assert (listed["method"], listed["http_path"], listed["use_ssl"]) == ("http", "cliservice", False)
    assert not {"password", "token"} & {*listed}
    assert "hunter2" not in str(listed)


def test_http_with_a_cluster_is_databricks_as_dbt_spark_has_it():
    profile = credentials(method="http", host="https://h/", cluster="c", token="t0ken")
    assert (profile.host, profile.http_path, profile.is_own_http) == ("https://h", None, False)
    assert "t0ken" not in str(dict(profile.connection_info()))


def test_seeds_over_odbc_do_not_see_the_method(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyodbc", ModuleType("pyodbc"))
    assert "method" not in dict(credentials(method="odbc", host="h").connection_info())


def test_telemetry_has_a_field_to_hash_without_a_host():
    assert credentials().unique_field == "session"
    assert len(credentials().hashed_unique_field()) == 32


def target(profile):
    """Jinja's `target`, as dbt makes it of a profile."""
    parts = SimpleNamespace(credentials=profile, threads=4, target_name="dev", profile_name="shop")
    return Profile.to_target_dict(parts)


def test_the_target_is_spark_and_the_adapter_ours():
    profile = credentials()
    assert (target(profile)["type"], profile.type) == ("spark", "adaptive_spark")


def test_the_target_is_ours_where_the_profile_says_so():
    assert target(credentials(target_type="adaptive_spark"))["type"] == "adaptive_spark"


def test_another_target_type_is_refused_with_the_two_there_are():
    with pytest.raises(DbtRuntimeError) as error:
        credentials(target_type="databricks")
    assert error.value.msg == (
        "target_type: 'databricks' is not one of spark, adaptive_spark. Leave it out for the default, spark."
    )


@pytest.mark.parametrize("method", ["session", "thrift", "http", "odbc"])
def test_dbt_parses_anew_where_the_target_type_has_changed(monkeypatch, method):
    monkeypatch.setitem(sys.modules, "pyodbc", ModuleType("pyodbc"))
    assert dict(credentials(method=method, host="h").connection_info())["target_type"] == "spark"


def test_a_format_for_all_tables_is_one_that_holds_tables():
    assert credentials().file_format is None
    assert dict(credentials(file_format="delta").connection_info())["file_format"] == "delta"
    with pytest.raises(DbtRuntimeError) as error:
        credentials(file_format="delt")
    assert error.value.msg == (
        "file_format: 'delt' is not one of delta, iceberg, hudi, parquet, orc, hive, csv, json, text. "
        "Leave it out for Spark's default, parquet."
    )


@pytest.mark.parametrize("key", ["database", "catalog"])
def test_a_profile_names_a_catalog_by_either_key(key):
    profile = AdaptiveSparkCredentials.from_dict(
        AdaptiveSparkCredentials.translate_aliases({"schema": "s", key: "lake"})
    )
    assert profile.database == "lake"
    # `target.database` in Jinja, and what dbt parses anew by
    assert dict(profile.connection_info())["database"] == "lake"


@pytest.mark.parametrize("database", ["s", "spark_catalog", None])
def test_a_profile_in_the_session_catalog_has_no_database(database):
    profile = credentials(database=database)
    assert profile.database is None and "database" not in dict(profile.connection_info())


def test_a_catalogs_name_that_none_has_is_refused():
    with pytest.raises(DbtRuntimeError, match="a catalog's name has none"):
        credentials(database="lake.shop")
