"""Stages of `make test` and `make lint`: in which order and how many at a time they
run, and what is said at the end.
"""

import sys

import pytest

from build_support import lint, needs
from build_support.builds import builds, installed
from build_support.format_jars import release
from build_support.stages import Need, Stage, run, select
from build_support.test import APART, of_each_change, stages
from dbt.adapters.adaptive_spark.spark.table_formats import FORMATS


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


# waits for another one's file, for a minute at most
MEETING = """
import pathlib, time
pathlib.Path({mine!r}).touch()
end = time.monotonic() + 60
while not pathlib.Path({other!r}).exists():
    assert time.monotonic() < end
    time.sleep(0.01)
"""


@pytest.fixture
def meeting(tmp_path):
    """Two programs, each of which ends once the other one has begun."""
    one, two = str(tmp_path / "one"), str(tmp_path / "two")
    return MEETING.format(mine=one, other=two), MEETING.format(mine=two, other=one)


def test_lanes_run_at_the_same_time(meeting):
    assert run([python(name, program) for name, program in zip("ab", meeting, strict=True)], lanes=2) == 0


def test_what_is_apart_is_made_beside_the_other_needs(meeting):
    jar, browser = (
        Need(name, [sys.executable, "-c", program], is_apart=name == "browser")
        for name, program in zip(("jar", "browser"), meeting, strict=True)
    )
    assert run([python("report", "", needs=[jar, browser])], lanes=2) == 0


def test_a_stage_runs_while_the_needs_of_others_are_made(meeting):
    jar = Need("jar", [sys.executable, "-c", meeting[0]])
    assert run([python("engine", "", needs=[jar]), python("unit", meeting[1])], lanes=2) == 0


@pytest.mark.parametrize("lanes", [1, 2])
def test_a_command_that_is_not_there_ends_the_run(lanes):
    stages = [python("engine", "", needs=[Need("jar", ["no-such-program"])]), python("unit", "")]
    with pytest.raises(FileNotFoundError, match="no-such-program"):
        run(stages, lanes)


@pytest.mark.parametrize("lanes", [1, 2])
def test_a_failed_need_fails_the_stages_that_have_it_and_no_other(capfd, lanes):
    browser = Need("browser", [sys.executable, "-c", "raise SystemExit('none on PATH')"])
    assert run([python("report", "print('tested')", needs=[browser]), python("unit", "")], lanes) == 1
    told = capfd.readouterr()
    # with several lanes the output of a need follows its end, as that of a stage does
    assert "none on PATH" in (told.err if lanes == 1 else told.out) and "tested" not in told.out
    end = [line.split() for line in told.out.rpartition("\n\n")[2].splitlines()]
    assert end[1] == ["report", "FAILED", "(not", "run:", "no", "browser)"]
    assert [end[0][0], end[2][0], end[2][-1]] == ["browser", "unit", "ok"]


def test_a_need_of_several_stages_is_made_once_and_before_them(capfd):
    jar = Need("jar", [sys.executable, "-c", "print('jar made')"])
    two = [python(name, f"print('{name} ran')", needs=[jar]) for name in ("engine", "session")]
    assert run(two) == 0
    said = [line for line in capfd.readouterr().out.splitlines() if line.endswith(("made", "ran"))]
    assert said == ["jar made", "engine ran", "session ran"]


def test_each_stage_has_the_needs_of_what_it_runs():
    spark = {needs.JAR, needs.SPARK_START}
    assert {stage.name: set(stage.needs) for stage in stages()} == {
        "ScalaTest-joins": {needs.SUITES},
        "ScalaTest-rest": {needs.SUITES},
        "ScalaTest-oldest": {needs.OLDEST_SUITES},
        "ScalaTest-formats": {needs.FORMATS_SUITES},
        "formats": {needs.FORMATS_JAR},
        "format-projects": {needs.FORMATS_JAR},
        # on the installed Spark, where the format has a release for it
        **{
            f"dbt-{name}": {needs.JAR if release(name, installed()) else needs.FORMATS_JAR}
            for name in FORMATS
        },
        "unit": set(),
        "report": {needs.CHROMIUM},
        "tpcds": {*spark, needs.BENCHMARK_PACKAGES},
        "lowest": set(),
        **dict.fromkeys(
            ("cluster", "engine", "example", "functional", "packaging", "server", "session"), spark
        ),
    }
    assert {stage.name for stage in lint.STAGES if stage.needs} == {"config-docs"}


def test_each_stage_is_of_make_test_or_of_a_target_of_its_own():
    named = [stage.name for stage in of_each_change()] + [name for names in APART.values() for name in names]
    assert sorted(named) == sorted(stage.name for stage in stages())


def test_an_unknown_stage_is_refused_with_those_that_there_are():
    with pytest.raises(SystemExit, match=r"No such stage: unti\. There are: unit, report\."):
        select([python("unit", ""), python("report", "")], ["unti"])


def test_unit_tests_can_read_no_jar():
    with pytest.raises(RuntimeError, match="a unit test reads no jar of ours"):
        builds()[0].jar.read_bytes()
