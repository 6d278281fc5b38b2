"""How tests ended, from the JUnit reports that ScalaTest and pytest write."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True)
class Outcome:
    """The number of tests that passed, those that failed, each with its first line of why, and how many were
    skipped for each reason.
    """

    passed: int = 0
    failed: tuple[str, ...] = ()
    skipped: Counter[str] = field(default_factory=Counter)

    @property
    def ran(self) -> int:
        return self.passed + len(self.failed)


def outcome(reports: Iterable[Path], counts: Callable[[str, bool], bool] = lambda *_: True) -> Outcome:
    """The tests of all reports together. `counts` is true of those to count, by class and name, and if they were
    skipped.
    """
    passed, failed, skipped = 0, [], Counter[str]()
    for case in _cases(reports):
        test = f"{case.get('classname')}: {case.get('name')}"
        skip = case.find("skipped")
        if not counts(test, skip is not None):
            continue
        why = _whys(case)
        if why:
            failed += [f"{test}: {_first_line(each)}" for each in why]
        elif skip is not None:
            # ScalaTest keeps the reason to itself
            skipped[_first_line(skip) or case.get("name", "")] += 1
        else:
            passed += 1
    return Outcome(passed, tuple(failed), skipped)


def ended_by_test(reports: Iterable[Path]) -> dict[str, str]:
    """How each test ended, by its class and name: passed, failed or skipped."""
    return {f"{case.get('classname')}: {case.get('name')}": _ended(case) for case in _cases(reports)}


def _ended(case: ElementTree.Element) -> str:
    if _whys(case):
        return "failed"
    return "passed" if case.find("skipped") is None else "skipped"


def _cases(reports: Iterable[Path]) -> Iterator[ElementTree.Element]:
    for report in sorted(reports):
        yield from ElementTree.parse(report).iter("testcase")


def _whys(case: ElementTree.Element) -> list[ElementTree.Element]:
    return [*case.iter("failure"), *case.iter("error")]


def _first_line(why: ElementTree.Element) -> str:
    return (why.get("message") or why.text or "").strip().split("\n")[0][:500]
