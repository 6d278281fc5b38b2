"""Stages of `make test` and `make lint`: in which order and how many at a time they
run, and what is said at the end.
"""

import sys

import pytest

from build_support.stages import Stage, run, select


def python(name, program, **more):
    return Stage(name, [sys.executable, "-c", program], **more)


@pytest.mark.parametrize("lanes", [1, 2])
def test_a_failed_stage_fails_the_run_and_names_what_failed(capfd, lanes):
    stages = [
        python("broken", "raise SystemExit(3)", failures=lambda: ["ASuite: a test: 1 did not equal 2"]),
        python("sound", "print('its output')"),
    ]
    assert run(stages, lanes) == 1
    told = capfd.readouterr().out
    assert "its output" in told
    end = told.rpartition("\n\n")[2].splitlines()
    assert [line.split()[0] for line in end] == ["broken", "ASuite:", "sound", "together"]
    assert end[0].endswith("FAILED (3)") and end[2].endswith("ok")


def test_lanes_run_at_the_same_time(tmp_path):
    # each waits for the other's file, for a minute at most
    program = """
import pathlib, time
pathlib.Path({mine!r}).touch()
end = time.monotonic() + 60
while not pathlib.Path({other!r}).exists():
    assert time.monotonic() < end
    time.sleep(0.01)
"""
    one, two = str(tmp_path / "one"), str(tmp_path / "two")
    stages = [
        python("one", program.format(mine=one, other=two)),
        python("two", program.format(mine=two, other=one)),
    ]
    assert run(stages, lanes=2) == 0


def test_what_a_stage_needs_comes_first_and_its_failure_is_the_stages(capfd):
    failing = python(
        "report", "print('tested')", before=[sys.executable, "-c", "raise SystemExit('no browser')"]
    )
    assert run([failing]) == 1
    told = capfd.readouterr()
    assert "no browser" in told.err and "tested" not in told.out


def test_an_unknown_stage_is_refused_with_those_that_there_are():
    with pytest.raises(SystemExit, match=r"No such stage: unti\. There are: unit, report\."):
        select([python("unit", ""), python("report", "")], ["unti"])
