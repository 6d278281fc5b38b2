"""The folders of Spark's class path, in which files of configuration lie that Spark reads besides its own."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

CLASS_PATH_KEY = "spark.driver.extraClassPath"
# Spark's start puts these folders on the class path, and the entries of these paths.
_FOLDERS = ("HADOOP_CONF_DIR", "YARN_CONF_DIR")
CLASS_PATHS = ("SPARK_CLASSPATH", "SPARK_DIST_CLASSPATH")


def conf_folders(environment: Mapping[str, str], folder: Path) -> tuple[Path, ...]:
    """Those of configuration: `folder`, which is Spark's own, and those that the environment names."""
    named = (environment.get(key) for key in _FOLDERS)
    return (folder, *(Path(each) for each in named if each))


def script(folder: Path) -> str:
    """The script that Spark's start reads, which may set any variable; empty without one.

    Raises OSError where it cannot be read.
    """
    file = folder / "spark-env.sh"
    return file.read_text(encoding="utf-8", errors="replace") if file.is_file() else ""


def may_have(name: str, confs: Mapping[str, str], environment: Mapping[str, str], folder: Path) -> bool:
    """True if a file of this name is on the class path, or if nobody can say until Spark has read its script."""
    paths = (confs.get(CLASS_PATH_KEY), *(environment.get(key) for key in CLASS_PATHS))
    entries = (entry for path in paths if path for entry in path.split(os.pathsep) if entry)
    try:
        said = [line for line in script(folder).splitlines() if not line.lstrip().startswith("#")]
        return any(key in line for key in (*_FOLDERS, *CLASS_PATHS) for line in said) or any(
            (each / name).is_file() for each in (*conf_folders(environment, folder), *map(Path, entries))
        )
    except OSError:
        return True
