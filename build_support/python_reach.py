"""The Python files that changed ones can break: by imports, `conftest.py` and programs within texts included."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import PurePosixPath

_FROM = re.compile(r"^[ \t]*from[ \t]+([\w.]+)[ \t]+import[ \t]+(?:\(([^)]*)\)|([^\n#]*))", re.MULTILINE)
_IMPORT = re.compile(r"^[ \t]*import[ \t]+([\w., \t]+)", re.MULTILINE)
_PLUGINS = re.compile(r"^pytest_plugins = \[([^\]]*)\]", re.MULTILINE)
# Folders whose files import each other by name alone; the first two are on the path of every test.
_BY_NAME = ("integration_tests", "integration_tests/report", "benchmarks", "examples/flights")


def imported(text: str) -> set[str]:
    """Modules, and names that may be modules, that a text imports or gives pytest as plugins; not the packages above,
    which load the adapter.
    """
    names: set[str] = set()
    for module, within, on_line in _FROM.findall(text):
        names.add(module)
        names |= {f"{module}.{each.split()[0]}" for each in (within or on_line).split(",") if each.split()}
    for modules in _IMPORT.findall(text):
        names |= {each.split()[0] for each in modules.split(",") if each.split()}
    for plugins in _PLUGINS.findall(text):
        names |= set(re.findall(r"[\w.]+", plugins))
    return names


def reached(changed: Iterable[str], sources: Mapping[str, str]) -> set[str]:
    """The changed Python files and those that import them, directly or not; `sources` has each text by its path."""
    files = {path for path in (*changed, *sources) if path.endswith(".py")}
    uses = {path: _uses(path, sources[path], files) for path in files if path in sources}
    found = {path for path in changed if path.endswith(".py")}
    while more := {path for path, used in uses.items() if used & found} - found:
        found |= more
    return found


def _uses(path: str, text: str, files: set[str]) -> set[str]:
    candidates = {each for name in imported(text) for each in _paths(name, PurePosixPath(path).parent)}
    if path.startswith("integration_tests/"):
        candidates |= {str(folder / "conftest.py") for folder in PurePosixPath(path).parents}
    return (candidates & files) - {path}


def _paths(module: str, folder: PurePosixPath) -> Iterator[str]:
    """Where a module may stand, from a file in `folder`."""
    inside = module.replace(".", "/")
    yield from (f"{inside}.py", f"{inside}/__init__.py", f"{folder}/{inside}.py")
    yield from (f"{each}/{inside}.py" for each in _BY_NAME)
