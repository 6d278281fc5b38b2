"""Whose configuration Spark's log has: the user's own where there is any, else ours."""

import pytest

from dbt.adapters.adaptive_spark.spark.spark_log import CONFIGURATION, JAVA_OPTIONS, with_quiet_log

CONF = {"spark.app.name": "dbt"}
OURS = f"-Dlog4j2.configurationFile={CONFIGURATION.as_uri()}"


def options(folder, conf=None, site=None, environment=None):
    given = {**CONF, **(conf or {})}
    found = with_quiet_log(given, site or {}, environment or {}, folder)
    assert {key: value for key, value in found.items() if key != JAVA_OPTIONS} == {
        key: value for key, value in given.items() if key != JAVA_OPTIONS
    }
    return found.get(JAVA_OPTIONS)


def test_a_spark_that_nobody_has_configured_logs_as_ours_says(tmp_path):
    assert CONFIGURATION.is_file()
    assert options(tmp_path) == OURS
    assert options(tmp_path / "none") == OURS


@pytest.mark.parametrize("where", ["conf", "site"])
def test_the_users_java_options_stay_before_it(tmp_path, where):
    assert options(tmp_path, **{where: {JAVA_OPTIONS: "-Da=1 -Xss4m"}}) == f"-Da=1 -Xss4m {OURS}"


def test_the_profiles_java_options_come_in_place_of_the_sites(tmp_path):
    assert options(tmp_path, {JAVA_OPTIONS: "-Da=1"}, {JAVA_OPTIONS: "-Da=2"}) == f"-Da=1 {OURS}"


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("spark.log.level", "INFO"),
        ("spark.log.structuredLogging.enabled", "true"),
        ("spark.driver.extraClassPath", "/etc/mine"),
        ("spark.driver.defaultJavaOptions", "-Dlog4j2.configurationFile=file:/mine.xml"),
        (JAVA_OPTIONS, "-Dlog4j.configurationFile=file:/mine.xml"),
    ],
)
@pytest.mark.parametrize("where", ["conf", "site"])
def test_a_conf_about_the_log_is_the_users_word(tmp_path, where, key, value):
    assert options(tmp_path, **{where: {key: value}}) == (
        value if key == JAVA_OPTIONS and where == "conf" else None
    )


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("LOG4J_CONFIGURATION_FILE", "/mine.xml"),
        ("JAVA_TOOL_OPTIONS", "-Dlog4j2.configurationFile=/mine.xml"),
        ("SPARK_SUBMIT_OPTS", "-Dlog4j2.configurationFile=/mine.xml"),
        ("PYSPARK_SUBMIT_ARGS", "--driver-java-options -Dlog4j2.level=info pyspark-shell"),
        ("PYSPARK_SUBMIT_ARGS", "--properties-file mine.conf pyspark-shell"),
        ("SPARK_DIST_CLASSPATH", "/etc/mine"),
    ],
)
def test_an_environment_about_the_log_is_the_users_word(tmp_path, key, value):
    assert options(tmp_path, environment={key: value}) is None


@pytest.mark.parametrize("name", ["log4j2.properties", "log4j2.xml", "log4j2-test.yaml"])
@pytest.mark.parametrize("variable", [None, "HADOOP_CONF_DIR", "YARN_CONF_DIR"])
def test_a_configuration_on_sparks_class_path_is_the_users_word(tmp_path, name, variable):
    (tmp_path / name).touch()
    environment = {} if variable is None else {variable: str(tmp_path)}
    assert options(tmp_path if variable is None else tmp_path / "none", environment=environment) is None


def test_a_template_configures_nothing_and_a_script_that_names_the_log_does(tmp_path):
    (tmp_path / "log4j2.properties.template").touch()
    (tmp_path / "spark-env.sh").write_text("export SPARK_LOCAL_IP=127.0.0.1")
    assert options(tmp_path) == OURS
    (tmp_path / "spark-env.sh").write_text("export SPARK_SUBMIT_OPTS=-Dlog4j2.configurationFile=/mine.xml")
    assert options(tmp_path) is None
