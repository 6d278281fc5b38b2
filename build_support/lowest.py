"""`make test-lowest`: the unit tests, and a model on Spark, with the oldest versions that pyproject.toml allows.

Only what the package itself asks for is held to its lower bound; what those packages ask for is as new as they allow.
Spark is the first release of the oldest line, or of the one that `SPARK` names.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from build_support import jars
from build_support.builds import ROOT, Build, chosen, oldest
from build_support.environments import ensure, pip, python_of
from build_support.project import project
from build_support.stages import Stage, run

ENVIRONMENT = ROOT / "build" / "lowest"
EXTRAS = ("session", "thrift", "report")
# What the tests import besides, of any version.
TOOLS = ("dbt-tests-adapter", "hypothesis", "pytest", "setuptools", "wheel")
TESTS = ("integration_tests/unit", "integration_tests/functional/test_basic.py::TestSingularTests")
_REQUIREMENT = re.compile(r"(?P<name>[A-Za-z0-9._-]+)(?:\[[^\]]*\])?(?P<bounds>[^;]*)")
_LOWER = re.compile(r">=\s*([0-9][0-9A-Za-z.]*)")


def lower_bounds(requirements: Iterable[str]) -> Iterator[str]:
    """`name==version` of each requirement's lower bound. Raises ValueError where one has none."""
    for requirement in requirements:
        parts = _REQUIREMENT.match(requirement)
        lower = None if parts is None else _LOWER.search(parts["bounds"])
        if parts is None or lower is None:
            raise ValueError(
                f"pyproject.toml: {requirement!r} has no lower bound. Write it as name>=1.2, with a version that was run."
            )
        yield f"{parts['name']}=={lower[1]}"


def requirements() -> list[str]:
    """The requirements that pyproject.toml declares for users: the package's own and those of the extras."""
    package = project()
    extras = package["optional-dependencies"]
    return [*package["dependencies"], *(each for extra in EXTRAS for each in extras[extra])]


def constraints(file: Path) -> Path:
    """Writes the lower bounds to `file`, for pip."""
    file.parent.mkdir(parents=True, exist_ok=True)
    lowest = {*lower_bounds(each for each in requirements() if not each.startswith("pyspark")), pyspark()}
    file.write_text("\n".join(sorted(lowest)) + "\n", encoding="utf-8")
    return file


def line() -> Build:
    """The build for the line of Spark that is run."""
    return chosen()[-1] if os.environ.get("SPARK") else oldest()


def pyspark() -> str:
    """The first release of the line: `pyspark==3.5.0`."""
    return f"pyspark=={line().spark}.0"


def install() -> None:
    """This checkout in an environment with these versions, which is kept as long as they stay.

    Raises CalledProcessError where pip finds none.
    """
    bounds = constraints(ENVIRONMENT.with_name("lowest.txt"))
    jars.ensure(line())
    # what pip builds of the checkout has the jar of this line alone
    command = ["env", f"SPARK={line().spark}", *pip(ENVIRONMENT)]
    wanted = [bounds.read_text(encoding="utf-8"), *requirements(), *TOOLS]
    package = f"{ROOT}[{','.join(EXTRAS)}]"
    if not ensure(ENVIRONMENT, wanted, [*command, "--constraint", str(bounds), *TOOLS, package]):
        subprocess.run([*command, "--no-deps", "--force-reinstall", str(ROOT)], check=True)


def main() -> int:
    """1 if a test fails."""
    install()
    python = python_of(ENVIRONMENT)
    return run([Stage(f"lowest {test}", [python, "-m", "pytest", "-q", test]) for test in TESTS])


if __name__ == "__main__":
    sys.exit(main())
