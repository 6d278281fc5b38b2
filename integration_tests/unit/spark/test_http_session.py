"""A session on a Spark Thrift server in HTTP mode: where it is asked for, who logs in, and what an answer means."""

import getpass
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest
from pyhive import hive

from dbt.adapters.adaptive_spark.credentials import AdaptiveSparkCredentials
from dbt.adapters.adaptive_spark.spark import http_session
from dbt.adapters.adaptive_spark.spark.http_session import login, open_session, url
from dbt.adapters.adaptive_spark.spark.server_error import HttpError


def profile(**keys):
    return AdaptiveSparkCredentials.from_dict(
        {"schema": "s", "method": "http", "host": "h", "port": 10001, **keys}
    )


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        ({}, "http://h:10001/cliservice"),
        ({"use_ssl": True, "port": 443}, "https://h:443/cliservice"),
        ({"http_path": "/gateway/hive/"}, "http://h:10001/gateway/hive"),
        ({"host": "h/"}, "http://h:10001/cliservice"),
    ],
)
def test_the_url_is_the_profiles(keys, expected):
    assert url(profile(**keys)) == expected


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        ({}, (getpass.getuser(), "x")),
        ({"user": "ann"}, ("ann", "x")),
        ({"user": "ann", "password": "pass:word", "auth": "LDAP"}, ("ann", "pass:word")),
        ({"token": "t0ken"}, ("token", "t0ken")),
    ],
)
def test_the_login_is_the_profiles_and_a_token_goes_as_dbt_spark_sends_one(keys, expected):
    assert login(profile(**keys)) == expected


def test_a_session_begins_with_the_confs_of_its_request(monkeypatch):
    asked = []
    monkeypatch.setattr(hive, "connect", lambda **given: asked.append(given))
    headers = []
    monkeypatch.setattr(
        http_session.HttpTransport, "setCustomHeaders", lambda self, given: headers.append(given)
    )
    wrapper = open_session(profile(user="ann", password="pw", poll_interval=2, query_timeout=9), {"a": "1"})
    (given,) = asked
    assert (given["username"], given["configuration"]) == ("ann", {"a": "1"})
    assert headers == [{"Authorization": "Basic YW5uOnB3"}]
    assert (wrapper.poll_interval, wrapper.query_timeout) == (2, 9)


@pytest.fixture
def refusing():
    """The port of an HTTP server that answers each request with 401."""

    class Refuse(BaseHTTPRequestHandler):
        def do_POST(self):
            self.send_error(401)

        def log_message(self, *_):
            pass

    with HTTPServer(("127.0.0.1", 0), Refuse) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server.server_port
        server.shutdown()
        thread.join()


def test_an_answer_that_is_no_success_is_an_error_without_the_login(refusing):
    with pytest.raises(HttpError) as error:
        open_session(profile(host="127.0.0.1", port=refusing, user="ann", password="hunter2"), {})
    assert str(error.value) == "HTTP 401 Unauthorized"
