"""Runs named commands, several at a time where asked, times each, and says at the end how they went."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from threading import Condition, Lock

from build_support.builds import ROOT

_printing = Lock()


@dataclass(frozen=True)
class Need:
    """Something that stages find ready, such as the jar; `command` makes it, or sees at once that it is there.

    `is_apart` is true where it can be made beside others; Maven's are made one after another.
    """

    name: str
    command: Sequence[str] = field(compare=False)
    is_apart: bool = field(default=False, compare=False)


@dataclass(frozen=True)
class Stage:
    """A command, run at the top of the checkout once all that it needs is there.

    `failures` names what failed in it, to be read at the very end.
    """

    name: str
    command: Sequence[str]
    environment: Mapping[str, str] | None = None
    failures: Callable[[], list[str]] | None = None
    needs: Sequence[Need] = ()


@dataclass(frozen=True)
class Ended:
    """How a stage went: its line, with its seconds of wall time, and what failed."""

    line: str
    failed: bool
    failures: Sequence[str] = ()


def run(stages: Sequence[Stage], lanes: int = 1) -> int:
    """0 if all stages succeeded, else 1; a failed one does not keep the others from running.

    What stages need is made once and as early as can be. A stage without all of its needs fails and does not run.
    With several `lanes` as many commands run at a time, begun in the given order as soon as what they need is there;
    each one's output follows its end.
    """
    started = time.monotonic()
    work = _Work(stages, shown=lanes == 1)
    with ThreadPoolExecutor(lanes) as pool:
        for lane in [pool.submit(work.go_on) for _ in range(lanes)]:
            lane.result()
    ended = [*work.made.values(), *(work.ended[stage.name] for stage in stages)]
    print()
    for each in ended:
        print("\n".join([each.line, *(f"  {failure}" for failure in each.failures)]))
    print(f"{'together':<24} {time.monotonic() - started:7.1f} s", flush=True)
    return 1 if any(each.failed for each in ended) else 0


class _Work:
    """Stages that are left to run and needs that are left to make, and how the others ended: `made` by need, `ended` by
    the name of the stage.

    Each lane takes what can begin: a need before a stage, since stages wait for it.
    """

    def __init__(self, stages: Sequence[Stage], shown: bool) -> None:
        self._needs = list(dict.fromkeys(need for stage in stages for need in stage.needs))
        self._stages = list(stages)
        self._shown = shown
        self._is_making = False
        self._changed = Condition()
        self.made: dict[Need, Ended] = {}
        self.ended: dict[str, Ended] = {}

    def go_on(self) -> None:
        """Runs one command after another until none is left to begin."""
        try:
            while (task := self._next()) is not None:
                ended = self._do(task)
                with self._changed:
                    if isinstance(task, Stage):
                        self.ended[task.name] = ended
                    else:
                        self.made[task] = ended
                        self._is_making = self._is_making and task.is_apart
                    self._changed.notify_all()
        except BaseException:
            with self._changed:  # the other lanes wait for nothing more
                self._needs, self._stages = [], []
                self._changed.notify_all()
            raise

    def _next(self) -> Need | Stage | None:
        with self._changed:
            while self._needs or self._stages:
                for need in self._needs:
                    if need.is_apart or not self._is_making:
                        self._needs.remove(need)
                        self._is_making = self._is_making or not need.is_apart
                        return need
                for stage in self._stages:
                    if all(need in self.made for need in stage.needs):
                        self._stages.remove(stage)
                        return stage
                self._changed.wait()
            return None

    def _do(self, task: Need | Stage) -> Ended:
        if isinstance(task, Need):
            return _run(Stage(task.name, task.command), self._shown)
        lacks = [need.name for need in task.needs if self.made[need].failed]
        if lacks:
            line = f"{task.name:<24}     FAILED (not run: no {', '.join(lacks)})"
            return Ended(line, failed=True)
        return _run(task, self._shown)


def _run(stage: Stage, shown: bool) -> Ended:
    print(f"== {stage.name}", flush=True)
    started = time.monotonic()
    with tempfile.TemporaryFile() as output:
        code = subprocess.run(
            stage.command,
            cwd=ROOT,
            env=stage.environment,
            stdin=subprocess.DEVNULL,
            stdout=None if shown else output,
            stderr=None if shown else subprocess.STDOUT,
        ).returncode
        line = f"{stage.name:<24} {time.monotonic() - started:7.1f} s  {'ok' if code == 0 else f'FAILED ({code})'}"
        with _printing:
            if not shown:
                output.seek(0)
                print(f"== {stage.name}, its output\n{output.read().decode(errors='replace')}")
            print(line, flush=True)
    return Ended(line, code != 0, stage.failures() if code != 0 and stage.failures else ())


def select(stages: Sequence[Stage], names: Sequence[str]) -> list[Stage]:
    """The stages that are named, or all if none is; exits if there is no stage of a name."""
    unknown = set(names) - {stage.name for stage in stages}
    if unknown:
        sys.exit(
            f"No such stage: {', '.join(sorted(unknown))}. There are: {', '.join(s.name for s in stages)}."
        )
    return [stage for stage in stages if not names or stage.name in names]


def module(name: str, *arguments: str) -> list[str]:
    """The command that runs a Python module in this environment."""
    return [sys.executable, "-m", name, *arguments]
