"""Keys that are keys, values as Spark reads them, secrets that stay secret."""

import pytest

from dbt.adapters.adaptive_spark.conf.conf_entry import (
    ConfEntry,
    as_text,
    holds_secret,
    is_key,
    is_secret,
    shown,
)


@pytest.mark.parametrize(
    "key",
    [
        "spark.sql.shuffle.partitions",
        "hive.exec.dynamic.partition",
        "spark.sql.catalog.my-cat.uri_2",
        "spark.kubernetes.node.selector.kubernetes.io/arch",
    ],
)
def test_dotted_words_are_keys(key):
    assert is_key(key)


@pytest.mark.parametrize(
    "key",
    [
        "",
        "spark",
        "spark.",
        ".a",
        "spark..a",
        "spark.a;drop table t",
        "spark.a=1",
        "spark.a b",
        "spark.a\n",
        "spark.a`b",
        "spark.a'b",
        "spark.a--\nb",
        "spark.a/*b*/",
        "spark/a",
        "spark.${a}",
        7,
        None,
    ],
)
def test_anything_else_is_no_key(key):
    assert not is_key(key)


@pytest.mark.parametrize(
    ("value", "text"), [(True, "true"), (False, "false"), (64, "64"), (0.3, "0.3"), ("x", "x"), ("", "")]
)
def test_values_as_spark_reads_them(value, text):
    assert as_text(value) == text


@pytest.mark.parametrize(("value", "name"), [(None, "NoneType"), ([1], "list"), ({}, "dict")])
def test_other_values_are_refused(value, name):
    with pytest.raises(TypeError, match=f"^{name} is not text, a number or a boolean$"):
        as_text(value)


@pytest.mark.parametrize(
    "key",
    [
        "spark.hadoop.fs.s3a.secret.key",
        "spark.my.TOKEN",
        "spark.ssl.keyPassword",
        "spark.a.credentials.provider",
    ],
)
def test_secret_keys_hide_their_value(key):
    assert is_secret(key, "hunter2")
    assert shown(key, "hunter2") == "(hidden)"
    assert repr(ConfEntry(key, "hunter2")) == f"{key}=(hidden)"


def test_other_keys_show_their_value():
    assert repr(ConfEntry("spark.sql.shuffle.partitions", "64")) == "spark.sql.shuffle.partitions=64"


@pytest.mark.parametrize(
    "key",
    [
        "spark.hadoop.fs.s3a.secret.key",
        "spark.hadoop.fs.s3a.access.key",
        "spark.hadoop.fs.azure.account.key.acct.dfs.core.windows.net",
        "spark.hadoop.fs.azure.account.oauth2.client.secret.acct.dfs.core.windows.net",
        "spark.hadoop.javax.jdo.option.ConnectionPassword",
        "spark.sql.catalog.prod.token",
        "spark.ssl.keyPassword",
        "spark.sql.catalog.prod.credential",
        "spark.hadoop.fs.azure.sas.container.acct.blob.core.windows.net",
        "spark.my.passphrase",
        "spark.my.pwd",
        "spark.my.pass",
        "spark.redis.auth",
        "spark.my.http.authorization",
    ],
)
def test_a_key_of_a_secret(key):
    assert is_secret(key, "")
    assert holds_secret(key, "")


@pytest.mark.parametrize(
    "key",
    [
        "spark.sql.mapKeyDedupPolicy",
        "spark.sql.sources.v2.bucketing.allowJoinKeysSubsetOfPartitionKeys.enabled",
        "spark.sql.shuffle.partitions",
        "spark.hadoop.fs.s3a.aws.credentials.provider",
        "spark.security.credentials.hive.enabled",
    ],
)
def test_a_key_that_only_speaks_of_keys_holds_no_secret(key):
    assert not holds_secret(key, "LAST_WIN")


@pytest.mark.parametrize(
    "value",
    [
        "jdbc:postgresql://db/shop?user=dbt&password=hunter2",
        "jdbc:sqlserver://db:1433;databaseName=shop;user=dbt;Password = hunter2;encrypt=true",
        "jdbc:mysql://dbt:hunter2@db/shop",
        "jdbc:mysql://db/shop?user=dbt&pass=hunter2",
        "jdbc:oracle:thin:dbt/hunter2@//db:1521/shop",
        "https://:hunter2@repo.example.com/maven",
        "mongodb+srv://dbt:hunter2@db.example.com/shop",
        "-Xmx1g -Djavax.net.ssl.trustStorePassword=hunter2",
        '{"user": "dbt", "token": "hunter2"}',
        "https://acct.blob.core.windows.net/c?sv=2024&sig=hunter2",
        "AccountKey=hunter2==;EndpointSuffix=core.windows.net",
        "Authorization: Bearer hunter2hunter2",
        "AKIAIOSFODNN7EXAMPLE",
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.hunter2",
        "-----BEGIN RSA PRIVATE KEY-----",
    ],
)
def test_a_secret_within_a_value_is_hidden_and_refused_whatever_its_key(value):
    assert shown("spark.my.url", value) == "(hidden)"
    assert repr(ConfEntry("spark.my.url", value)) == "spark.my.url=(hidden)"
    assert holds_secret("spark.my.url", value)


@pytest.mark.parametrize(
    "value",
    [
        "jdbc:postgresql://db/shop?user=dbt",
        "jdbc:oracle:thin:@//db:1521/shop",
        "s3a://bucket/a@b/c",
        "https://repo.example.com:8443/maven",
        "spark://host:7077",
        "org.apache.hadoop.fs.s3a.TemporaryAWSCredentialsProvider",
        "LAST_WIN",
        "a:1,b:2",
        "design=7 config=8",
        "bypass=1",
        "",
        "64",
    ],
)
def test_a_value_without_a_secret_is_shown(value):
    assert shown("spark.my.url", value) == value
    assert not holds_secret("spark.my.url", value)


@pytest.mark.parametrize("key", ["spark.redaction.regex", "spark.sql.redaction.string.regex"])
def test_a_pattern_of_secrets_is_none(key):
    pattern = r"(?i)secret|password=\S+|token:[a-z]+"
    assert not is_secret(key, pattern) and not holds_secret(key, pattern)
    assert is_secret("spark.my.url", pattern) and holds_secret("spark.my.url", pattern)
