"""`make docs`: writes docs/reference/configs.md, configs.json and dynamic_filters.json from what the jar declares; `--check` compares."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from difflib import unified_diff
from pathlib import Path

from build_support.builds import ROOT, builds
from build_support.maven import spark_jars
from build_support.toolchain import java_command

INCLUDED = ROOT / "dbt" / "include" / "adaptive_spark"
# By the program of the jar that writes them, in the order of its arguments.
FILES = {
    "io.adaptivespark.conf.ConfigDocs": [
        INCLUDED / "configs.json",
        ROOT / "docs" / "reference" / "configs.md",
    ],
    "io.adaptivespark.join.rule.VerdictDocs": [INCLUDED / "dynamic_filters.json"],
}


def generate(folder: Path | None = None) -> dict[Path, Path]:
    """Writes all files from the default build's jar, into `folder` if there is one; returns where, by their committed paths."""
    build = builds()[0]
    written = {
        file: file if folder is None else folder / file.name for files in FILES.values() for file in files
    }
    for program, files in FILES.items():
        command = [java_command(), "-cp", f"{build.jar}:{spark_jars(build)}/*", program]
        subprocess.run([*command, *(str(written[file]) for file in files)], check=True)
    return written


def differences() -> list[str]:
    """How the committed files differ from what the jar says, as a diff; empty if they do not."""
    with tempfile.TemporaryDirectory() as folder:
        lines: list[str] = []
        for committed, generated in generate(Path(folder)).items():
            old = committed.read_text().splitlines() if committed.is_file() else []
            name = str(committed.relative_to(ROOT))
            lines += unified_diff(
                old, generated.read_text().splitlines(), name, f"{name} (from the jar)", lineterm=""
            )
        return lines


def main(arguments: list[str]) -> int:
    """1 if `--check` finds a difference."""
    if arguments == ["--check"]:
        lines = differences()
        print("\n".join([*lines, "Run `make docs` and commit the result."] if lines else []), end="")
        return 1 if lines else 0
    generate()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
