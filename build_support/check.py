"""`make check`: runs what the changes since the last commit of main can break, and says what it leaves out.

SINCE=v1.0 takes another commit.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Collection, Sequence
from dataclasses import replace

from build_support import lint, test
from build_support.builds import ROOT
from build_support.needs import SUITES
from build_support.scalatest import CROSS_PRODUCT
from build_support.selection import TESTS, Selection, select
from build_support.stages import Stage, module, run

LANES = 2


def git(*arguments: str) -> list[str]:
    """The lines that git prints. Exits with its words where it fails."""
    ran = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True)
    if ran.returncode != 0:
        sys.exit(f"git {' '.join(arguments)}: {ran.stderr.strip()}")
    return ran.stdout.splitlines()


def changed_files(since: str) -> set[str]:
    """Paths that differ from where this branch left `since`: committed, uncommitted, deleted and new ones."""
    base = git("merge-base", since, "HEAD")[0]
    differing = git("diff", "--name-only", "--no-renames", base)
    return {*differing, *git("ls-files", "--others", "--exclude-standard")}


def last_of_main() -> str:
    """Main as this clone knows it."""
    known = git("for-each-ref", "--format=%(refname)", "refs/heads/main", "refs/remotes/origin/main")
    return known[0] if known else "HEAD"


def sources() -> dict[str, str]:
    """The text of each Python and Scala file that git has, or would take, by its path."""
    listed = git("ls-files", "--cached", "--others", "--exclude-standard", "*.py", "*.scala")
    return {path: (ROOT / path).read_text(encoding="utf-8") for path in listed if (ROOT / path).is_file()}


def chosen_stages(selection: Selection) -> list[Stage]:
    """The stages of a selection, those of lint first."""
    if selection.everything:
        return [*lint.STAGES, *test.of_each_change()]
    found = [stage for stage in lint.STAGES if stage.name in selection.lint]
    if selection.suites:
        named = [argument for suite in sorted(selection.suites) for argument in ("-s", suite)]
        command = module("build_support.scalatest", *named, "-l", CROSS_PRODUCT)
        found.append(Stage("ScalaTest", command, needs=[SUITES]))
    for stage in test.stages():
        files = _tests_of(stage.name, selection.tests)
        if files:
            found.append(replace(stage, command=module("pytest", *files)))
    return found


def _tests_of(folder: str, tests: Collection[str]) -> Sequence[str]:
    whole = f"{TESTS}{folder}"
    return [whole] if whole in tests else sorted(each for each in tests if each.startswith(f"{whole}/"))


def description(changed: Collection[str], selection: Selection) -> list[str]:
    """Lines that name the files and suites that run, and the stages that are left out."""
    if selection.everything:
        return [f"{len(changed)} changed files. Everything runs: {selection.everything}."]
    names = {stage.name for stage in (*lint.STAGES, *test.stages())}
    running = {stage.name for stage in chosen_stages(selection)}
    left_out = sorted(name for name in names - running if not name.startswith("ScalaTest"))
    return [
        f"{len(changed)} changed files: {', '.join(sorted(changed))}",
        f"lint: {', '.join(sorted(selection.lint)) or 'nothing'}",
        f"Scala suites: {', '.join(sorted(selection.suites)) or 'none, for no Scala source changed'}",
        f"Python tests: {', '.join(sorted(selection.tests)) or 'none'}",
        f"Left out: {', '.join(left_out)}. They read and import nothing that changed; those that run dbt on Spark",
        "meet a change only through the whole. So before a merge: make lint test.",
    ]


def main() -> int:
    """1 if a stage failed."""
    changed = changed_files(os.environ.get("SINCE") or last_of_main())
    if not changed:
        print(
            "Nothing changed, so there is nothing to check. Another commit to compare with: make check SINCE=HEAD~1."
        )
        return 0
    selection = select(changed, sources())
    print("\n".join(description(changed, selection)), flush=True)
    return run(chosen_stages(selection), lanes=int(os.environ.get("LANES", LANES)))


if __name__ == "__main__":
    sys.exit(main())
