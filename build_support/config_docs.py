"""`make docs`: writes what the jar declares (conf keys, columns, thresholds, verdicts) as JSON
and as pages; `--check` compares.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from difflib import unified_diff
from pathlib import Path

from build_support.builds import ROOT, installed
from build_support.maven import spark_jars
from build_support.toolchain import java_command

_INCLUDE = ROOT / "dbt" / "include" / "adaptive_spark"
_REFERENCE = ROOT / "docs" / "reference"
FILES = (
    _INCLUDE / "configs.json",
    _INCLUDE / "columns.json",
    _INCLUDE / "thresholds.json",
    _INCLUDE / "verdicts.json",
    _REFERENCE / "configs.md",
    _REFERENCE / "columns.md",
)


def generated() -> dict[Path, str]:
    """The text of each file, from the jar for the installed pyspark."""
    build = installed()
    with tempfile.TemporaryDirectory() as folder:
        class_path = f"{build.jar}:{spark_jars(build)}/*"
        command = [java_command(), "-cp", class_path, "io.adaptivespark.ExportFacts", folder]
        subprocess.run(command, check=True)
        return {file: (Path(folder) / file.name).read_text(encoding="utf-8") for file in FILES}


def differences() -> list[str]:
    """How the committed files differ from what the jar says, as a diff; empty if they do not."""
    lines: list[str] = []
    for file, text in generated().items():
        old = file.read_text(encoding="utf-8").splitlines() if file.is_file() else []
        name = str(file.relative_to(ROOT))
        lines += unified_diff(old, text.splitlines(), name, f"{name} (from the jar)", lineterm="")
    return lines


def main(arguments: list[str]) -> int:
    """1 if `--check` finds a difference."""
    if arguments == ["--check"]:
        lines = differences()
        print("\n".join([*lines, "Run `make docs` and commit the result."] if lines else []), end="")
        return 1 if lines else 0
    for file, text in generated().items():
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
