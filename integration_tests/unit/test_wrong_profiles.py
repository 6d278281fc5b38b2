"""Each key of a profile that is wrong stops dbt with its name, its value and what is allowed."""

import math

import pytest
from dbt.adapters.exceptions.connection import FailedToConnectError
from dbt_common.exceptions import DbtRuntimeError

from dbt.adapters.adaptive_spark.credentials import AdaptiveSparkCredentials
from dbt.adapters.adaptive_spark.spark.installation import SparkLine, find_jar

NAN = math.nan
THRIFT = {"method": "thrift", "host": "h"}
HTTP = {"method": "http", "host": "h"}


@pytest.mark.parametrize(
    ("profile", "sentence"),
    [
        ({"jarr": "/x.jar"}, "jarr is not a key of a profile of type adaptive_spark. Did you mean jar?"),
        ({"Jar": "/x.jar"}, "Jar is not a key of a profile of type adaptive_spark. Did you mean jar?"),
        ({"server_side_parameter": {}}, "server_side_parameter is not a key of a profile of type adaptive_spark. Did you mean server_side_parameters?"),
        ({"method": "sesion"}, "method: 'sesion' is not one of thrift, http, odbc, session."),
        ({"method": True}, "method: True is not one of thrift, http, odbc, session."),
        *[({"jar": each}, f"jar: {each!r} is not text.") for each in (5, True, ["/x.jar"])],
        ({**THRIFT, "jar": "/x.jar"}, "jar is for method session: with method thrift, the server has the jar. Leave it out."),
        *[({"server_side_parameters": each}, f"server_side_parameters: {each!r} is not a dictionary.") for each in (None, "", "spark.a=1", ["spark.a.b"], 5)],
        ({"server_side_parameters": {"spark.a;b": 1}}, "server_side_parameters: 'spark.a;b' is not a Spark conf key."),
        ({"server_side_parameters": {"spark.a.b": None}}, "server_side_parameters: spark.a.b: NoneType is not text, a number or a boolean."),
        ({"server_side_parameters": {"spark.sql.adaptivefilter.momentum": 0.5}}, "server_side_parameters: spark.sql.adaptivefilter.momentum is not a configuration of adaptive-spark. Did you mean spark.sql.adaptiveFilter.momentum?"),
        ({"server_side_parameters": {"spark.sql.adaptiveFilter.momentum": NAN}}, "server_side_parameters: spark.sql.adaptiveFilter.momentum: nan is not a number in [0, 1]. Leave it out for the default, 0.3."),
        ({"server_side_parameters": {"spark.sql.adaptiveFilter.runId": "{}"}}, "server_side_parameters: spark.sql.adaptiveFilter.runId is set by the adapter itself. Leave it out."),
        ({**THRIFT, "http_path": "cliservice"}, "http_path is for method http: method thrift has no path. Leave it out."),
        ({"http_path": "cliservice"}, "http_path is for method http: method session has no path. Leave it out."),
        ({**HTTP, "http_path": 5}, "http_path: 5 is not text."),
        *[({**HTTP, "host": each}, "host has a slash, so it is more than a name. Write the name alone, the path as http_path, and use_ssl: true for https.")
          for each in ("https://h", "http://h/", "h/cliservice", "ann:hunter2@h/cliservice")],
        ({**HTTP, "endpoint": "e"}, "endpoint is for method odbc. Leave it out, and name the path of the server's Thrift service in http_path (default cliservice)."),
        ({**HTTP, "auth": "KERBEROS"}, "auth: 'KERBEROS' is not one of NONE, NOSASL, LDAP, CUSTOM, which method http has. Leave it out for a user and password, or use method thrift."),
        *[({**HTTP, "token": "hunter2", **each}, "token and user or password are two logins. Keep one: token alone, or user with password.")
          for each in ({"user": "ann"}, {"password": "hunter2"}, {"user": "ann", "password": "hunter2"})],
        *[({**HTTP, "password": "hunter2", **each}, "password is there without user. Add user, or leave password out.") for each in ({}, {"user": ""})],
        ({**HTTP, "auth": "LDAP"}, "auth: LDAP needs user and password. Add them, or leave auth out."),
        ({**HTTP, "user": "ann:hunter2"}, "user has a colon, which HTTP's login takes for its end. Write the name alone."),
        ({**HTTP, "cluster": "c"}, "cluster is there without token: method http with a cluster is Databricks', which wants one. Add token, or leave cluster out for a Spark Thrift server in HTTP mode."),
        ({**HTTP, "cluster": "c", "token": "hunter2", "http_path": "p"}, "cluster and http_path exclude each other: cluster is of Databricks, http_path of a Spark Thrift server in HTTP mode. Keep one."),
        ({"connect_retries": "x"}, "connect_retries: 'x' is not a whole number."),
        ({"connect_retries": "5"}, "connect_retries: '5' is not a whole number. Write it without quotes, or as \"{{ env_var('NAME') | as_number }}\"."),
        ({"connect_retries": "true"}, "connect_retries: 'true' is not a whole number."),
        ({"use_ssl": "yes"}, "use_ssl: 'yes' is not true or false."),
        ({"use_ssl": "True"}, "use_ssl: 'True' is not true or false. Write it without quotes, or as \"{{ env_var('NAME') | as_bool }}\"."),
        ({"use_ssl": 1}, "use_ssl: 1 is not true or false."),
        ({"token": 5}, "token: (hidden) is not text."),
    ],
)  # fmt: skip
def test_a_wrong_profile_stops_dbt(profile, sentence):
    given = {"schema": "s", **profile}
    with pytest.raises(DbtRuntimeError) as error:
        AdaptiveSparkCredentials.validate(given)
        AdaptiveSparkCredentials.from_dict(given)
    assert error.value.msg == sentence


@pytest.mark.parametrize("jar", ["", "no/such.jar", "."])
def test_a_jar_that_is_no_file_stops_the_connection(jar):
    profile = AdaptiveSparkCredentials.from_dict({"schema": "s", "jar": jar})
    with pytest.raises(FailedToConnectError) as error:
        find_jar(profile, SparkLine("4.3", "2.13"))
    assert error.value.msg.startswith(f"jar: {jar!r} is not a file. Correct it in your profile")
