"""The Scala suites that changed Scala files can break: by package, as the files themselves import each other."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import PurePosixPath

MAIN = "jvm/src/main/"
TESTS = "jvm/src/test/"
# The package that lists all rules, and so imports almost all others.
ROOT_PACKAGE = ""
_SPARK = "spark"
_OWN = re.compile(r"(?<!package )\bio\.adaptivespark((?:\.[a-z]\w*)*)\.[A-Z{_]")
_SUITE = re.compile(r"^(?:final )?class (\w+Suite)\b", re.MULTILINE)
_IN_SPARK = re.compile(r"import org\.apache\.spark\.sql\.execution\.adaptivespark\.")


def package(path: str) -> str:
    """E.g. `filter.plan`; `spark` for the code that stands in Spark's own package."""
    folders = PurePosixPath(path).parent.parts
    if "org" in folders:
        return _SPARK
    return ".".join(folders[folders.index("adaptivespark") + 1 :])


def imports(text: str) -> set[str]:
    """The packages of ours that a file names."""
    own = {found.removeprefix(".") for found in _OWN.findall(text)}
    return own | ({_SPARK} if _IN_SPARK.search(text) else set())


def reached_packages(changed: Iterable[str], sources: Mapping[str, str]) -> set[str]:
    """The changed packages and those that import them, directly or not; the root only where it changed itself."""
    importing: dict[str, set[str]] = {}
    for path, text in sources.items():
        if path.startswith(MAIN):
            importing.setdefault(package(path), set()).update(imports(text))
    reached = set(changed)
    while (
        more := {each for each, named in importing.items() if each != ROOT_PACKAGE and named & reached}
        - reached
    ):
        reached |= more
    return reached


def suites(changed: Iterable[str], sources: Mapping[str, str]) -> set[str]:
    """The full names of the suites to run for changed files; `sources` has the text of each Scala file by its path."""
    files = [path for path in changed if path.endswith(".scala")]
    packages = {package(path) for path in files if path.startswith(MAIN)}
    found = {path: text for path, text in sources.items() if path.startswith(TESTS)}
    if ROOT_PACKAGE in packages:
        chosen = set(found)
    else:
        touched = _touched(set(files), found)
        reached = reached_packages(packages, sources)
        chosen = {path for path in found if path in touched or _covers(path, found[path], reached)}
    return {name for path in chosen for name in _classes(path, found[path])}


def _classes(path: str, text: str) -> set[str]:
    """The suites that a file holds, traits and abstract classes left out."""
    # below the folder of all lines, `scala`, or of some
    folder = ".".join(PurePosixPath(path.removeprefix(TESTS)).parent.parts[1:])
    return {f"{folder}.{name}" for name in _SUITE.findall(text)}


def _touched(changed: set[str], tests: Mapping[str, str]) -> set[str]:
    """Changed files of the tests, and those that name what stands in them."""
    touched = {path for path in changed if path.startswith(TESTS)}
    words = {path: set(re.findall(r"\w+", text)) for path, text in tests.items()}
    while (
        more := {
            path for path, named in words.items() if named & {PurePosixPath(each).stem for each in touched}
        }
        - touched
    ):
        touched |= more
    return touched


def _covers(path: str, text: str, reached: set[str]) -> bool:
    """True for suites of a reached package or one above it, of the root, and for those that import a reached one."""
    own = package(path)
    if not reached:
        return False
    above = own == ROOT_PACKAGE or any(each == own or each.startswith(f"{own}.") for each in reached)
    return above or bool(imports(text) & reached)
