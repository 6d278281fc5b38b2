"""Tells which pyspark this Python has, by its files alone, and how to say that it does not serve."""

from __future__ import annotations

import platform
import re
from importlib.util import find_spec
from pathlib import Path

from dbt.adapters.adaptive_spark.__version__ import version
from dbt.adapters.adaptive_spark.conf.extras import DISTRIBUTION, pip_install

_RELEASE = re.compile(r"""^__version__(?:: str)? = ["'](?P<release>[^"']+)["']""", re.MULTILINE)


def pyspark_folder() -> Path | None:
    """The folder that `import pyspark` reads; None where there is none."""
    spec = find_spec("pyspark")
    places = [] if spec is None else list(spec.submodule_search_locations or [])
    return Path(places[0]) if places else None


def pyspark_release(folder: Path | None) -> str:
    """The release of a pyspark, such as 4.3.0, without importing it; empty where its files do not say."""
    file = None if folder is None else folder / "version.py"
    found = _RELEASE.search(file.read_text(encoding="utf-8")) if file is not None and file.is_file() else None
    return "" if found is None else found["release"]


def unusable_pyspark(error: Exception) -> str:
    """The sentence for a pyspark that cannot be imported, or lacks a name that newer ones have."""
    folder = pyspark_folder()
    found = " ".join(filter(None, ["pyspark", pyspark_release(folder)]))
    return (
        f"{found} in {folder} does not work with Python {platform.python_version()} and {DISTRIBUTION} {version} "
        f"({type(error).__name__}: {str(error).partition(' (/')[0]}). Put one that does in its place: "
        f"`{pip_install('session')}`."
    )
