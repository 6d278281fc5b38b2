"""`make docs`: writes docs/reference/configs.md and configs.json from the jar, which declares every conf key; `--check` compares."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from difflib import unified_diff
from pathlib import Path

from build_support.builds import ROOT, builds
from build_support.maven import spark_jars
from build_support.toolchain import java_command

JSON = ROOT / "dbt" / "include" / "adaptive_spark" / "configs.json"
MARKDOWN = ROOT / "docs" / "reference" / "configs.md"


def generate(json: Path, markdown: Path) -> None:
    """Writes both files from the default build's jar."""
    build = builds()[0]
    class_path = f"{build.jar}:{spark_jars(build)}/*"
    command = [
        java_command(),
        "-cp",
        class_path,
        "io.adaptivespark.conf.ConfigDocs",
        str(json),
        str(markdown),
    ]
    subprocess.run(command, check=True)


def differences() -> list[str]:
    """How the committed files differ from what the jar says, as a diff; empty if they do not."""
    with tempfile.TemporaryDirectory() as folder:
        fresh = {JSON: Path(folder) / JSON.name, MARKDOWN: Path(folder) / MARKDOWN.name}
        generate(*fresh.values())
        lines: list[str] = []
        for committed, generated in fresh.items():
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
    MARKDOWN.parent.mkdir(exist_ok=True)
    generate(JSON, MARKDOWN)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
