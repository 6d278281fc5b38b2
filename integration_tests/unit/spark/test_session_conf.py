"""The confs Spark starts with: ours added to the user's, never in their place."""

from dbt.adapters.adaptive_spark.spark.session_conf import (
    COST_BASED,
    EXTENSION,
    SESSION_DEFAULTS,
    missing_defaults,
    opening_conf,
    session_conf,
    site_conf,
)


def test_a_bare_profile_gets_the_extension_its_jar_and_a_hive_catalog():
    assert session_conf({}, {}, "/ours.jar") == {
        "spark.app.name": "dbt",
        "spark.sql.catalogImplementation": "hive",
        "spark.sql.legacy.createHiveTableByDefault": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.sql.ansi.enabled": "false",
        "spark.sql.iceberg.report-column-stats": "false",
        **COST_BASED,
        "spark.sql.extensions": EXTENSION,
        "spark.jars": "/ours.jar",
    }


def test_ansi_is_off_unless_the_profile_or_the_site_says_otherwise():
    ansi = "spark.sql.ansi.enabled"
    assert session_conf({}, {}, "/ours.jar")[ansi] == "false"
    assert session_conf({ansi: "true"}, {}, "/ours.jar")[ansi] == "true"
    assert ansi not in session_conf({}, {ansi: "true"}, "/ours.jar")
    assert missing_defaults({ansi: None})[ansi] == "false"
    assert ansi not in missing_defaults({ansi: "true"})


def test_a_servers_session_is_given_what_it_lacks():
    assert opening_conf({}, {}) == SESSION_DEFAULTS
    assert opening_conf({}, SESSION_DEFAULTS) == {}
    listed = {**SESSION_DEFAULTS, "spark.a": "1", "spark.b": "2"}
    assert opening_conf({"spark.a": "1", "spark.b": "3", "spark.c": ""}, listed) == {
        "spark.b": "3",
        "spark.c": "",
    }


def test_statistics_are_used_unless_the_profile_or_the_site_says_otherwise():
    conf = session_conf(
        {"spark.sql.cbo.enabled": "false"}, {"spark.sql.cbo.joinReorder.enabled": "false"}, "/ours.jar"
    )
    assert conf["spark.sql.cbo.enabled"] == "false"
    assert "spark.sql.cbo.joinReorder.enabled" not in conf
    assert conf["spark.sql.cbo.planStats.enabled"] == "true"


def test_the_users_own_extensions_come_last_and_jars_first():
    profile = {"spark.sql.extensions": "a.B, c.D", "spark.jars": "/x.jar,/y.jar"}
    conf = session_conf(profile, {}, "/ours.jar")
    assert conf["spark.sql.extensions"] == f"{EXTENSION},a.B,c.D"
    assert conf["spark.jars"] == "/x.jar,/y.jar,/ours.jar"


def test_what_is_named_already_is_not_named_twice():
    profile = {"spark.sql.extensions": f"{EXTENSION},a.B", "spark.jars": "/ours.jar"}
    conf = session_conf(profile, {}, "/ours.jar")
    assert conf["spark.sql.extensions"] == f"{EXTENSION},a.B"
    assert conf["spark.jars"] == "/ours.jar"


def test_spark_defaults_are_added_to_as_well():
    site = {"spark.sql.extensions": "a.B", "spark.jars": "/x.jar", "spark.master": "yarn"}
    conf = session_conf({}, site, "/ours.jar")
    assert conf["spark.sql.extensions"] == f"{EXTENSION},a.B"
    assert conf["spark.jars"] == "/x.jar,/ours.jar"
    assert "spark.master" not in conf


def test_the_profile_wins_over_spark_defaults():
    conf = session_conf({"spark.jars": "/mine.jar"}, {"spark.jars": "/site.jar"}, "/ours.jar")
    assert conf["spark.jars"] == "/mine.jar,/ours.jar"


def test_a_users_catalog_and_name_stay():
    mine = {"spark.sql.catalogImplementation": "in-memory", "spark.app.name": "nightly"}
    assert session_conf(mine, {}, "/ours.jar").items() >= mine.items()
    assert mine.keys().isdisjoint(session_conf({}, mine, "/ours.jar"))


def test_spark_defaults_in_each_way_of_writing():
    lines = ["# comment", "", "spark.a  1 2\n", "spark.b=x=y", "spark.c : z", "! comment", "spark.d"]
    assert site_conf(lines) == {"spark.a": "1 2", "spark.b": "x=y", "spark.c": "z", "spark.d": ""}


def test_spark_defaults_that_go_on_in_the_next_line():
    lines = ["spark.a  -Dx=1 \\", "    # -Dy=2,\\", "", "spark.b c:\\\\d\\\\", "spark.c 1\\tx\\", ""]
    assert site_conf(lines) == {"spark.a": "-Dx=1 # -Dy=2,", "spark.b": "c:\\d\\", "spark.c": "1\tx"}
