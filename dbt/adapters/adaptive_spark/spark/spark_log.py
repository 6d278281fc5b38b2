"""Spark's log in this process without the lines that leave nothing to do, unless the user has said how Spark logs."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from dbt.adapters.adaptive_spark.spark.class_path import (
    CLASS_PATH_KEY,
    CLASS_PATHS,
    conf_folders,
    script,
)
from dbt.include.adaptive_spark import PACKAGE_PATH

JAVA_OPTIONS = "spark.driver.extraJavaOptions"
CONFIGURATION = Path(PACKAGE_PATH) / "log4j2.properties"
_OPTION = f"-Dlog4j2.configurationFile={CONFIGURATION.as_uri()}"

# who sets one of these has an opinion on the log, or may bring a configuration on the class path
_SAYING = ("spark.log.level", "spark.log.structuredLogging.enabled", CLASS_PATH_KEY)
_OPTIONS = (JAVA_OPTIONS, "spark.driver.defaultJavaOptions")
_OPTIONS_OF_ENVIRONMENT = (
    *("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS", "SPARK_SUBMIT_OPTS", "PYSPARK_SUBMIT_ARGS"),
)
# a file of confs may have Java options, which ours would replace
_FILE_OF_CONFS = "--properties-file"
_LOG4J = "log4j"
_SUFFIXES = (".properties", ".xml", ".json", ".jsn", ".yaml", ".yml")


def with_quiet_log(
    conf: Mapping[str, str], site: Mapping[str, str], environment: Mapping[str, str], folder: Path
) -> dict[str, str]:
    """`conf` with the Java option that names our configuration; as it is where the user
    has one, or says how Spark logs.

    `site` is what `spark-defaults.conf` says, and `folder` is where that file stands.
    """
    told = {**site, **conf}
    has_own = (
        any(key in told for key in _SAYING)
        or any(_LOG4J in told.get(key, "").lower() for key in _OPTIONS)
        or any(_LOG4J in environment.get(key, "").lower() for key in _OPTIONS_OF_ENVIRONMENT)
        or _FILE_OF_CONFS in environment.get("PYSPARK_SUBMIT_ARGS", "")
        or any(environment.get(key) for key in CLASS_PATHS)
        or any(key.upper().startswith("LOG4J") for key in environment)
        or any(map(_configures, conf_folders(environment, folder)))
    )
    if has_own:
        return dict(conf)
    return {**conf, JAVA_OPTIONS: " ".join(filter(None, (told.get(JAVA_OPTIONS), _OPTION)))}


def _configures(folder: Path) -> bool:
    """True if Log4j finds a configuration in the folder, or a script there that Spark's start reads sets one.

    True also where the folder cannot be read.
    """
    try:
        if any(each.suffix in _SUFFIXES for each in folder.glob("log4j2*")):
            return True
        return _LOG4J in script(folder).lower()
    except OSError:  # nobody can say
        return True
