"""Random cases are others with each SEED, and the same ones without it."""

import os
import re
import subprocess
import sys

import pytest

from build_support.builds import ROOT

TEST = """
from hypothesis import given, settings, strategies as st

@settings(max_examples=5)
@given(st.integers())
def test_numbers(number):
    print("drawn", number)
    assert FAILING is False
"""


def outside():
    """The environment, without what says how random cases are made, and without that of a make around the tests."""
    ours = ("SEED", "EQUALITY_EXAMPLES", "MAKEFLAGS", "MAKEOVERRIDES", "MFLAGS")
    return {key: value for key, value in os.environ.items() if key not in ours}


@pytest.fixture
def drawn(tmp_path):
    """The output of a random test, and what it drew."""

    def run(seed, failing=False):
        (tmp_path / "test_numbers.py").write_text(TEST.replace("FAILING", str(failing)))
        plugins = ("_hypothesis_pytestplugin", "integration_tests.conftest", "no:cacheprovider")
        output = subprocess.run(
            [
                *(sys.executable, "-m", "pytest", "-s", f"--rootdir={tmp_path}", str(tmp_path)),
                *(argument for plugin in plugins for argument in ("-p", plugin)),
            ],
            # no other plugins, which take longer than the test
            env={**outside(), **seed, "PYTHONPATH": str(ROOT), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
            cwd=tmp_path,
            capture_output=True,
            text=True,
        ).stdout
        return output, re.findall(r"drawn (-?\d+)", output)

    return run


def test_a_seed_has_examples_of_its_own(drawn):
    first, again, other = (drawn({"SEED": seed})[1] for seed in ("1", "1", "2"))
    assert len(first) == 5
    assert first == again != other


def test_without_a_seed_examples_are_the_same_in_each_run(drawn):
    first, again = (drawn({})[1] for _ in range(2))
    assert len(first) == 5
    assert first == again


def test_a_seed_is_said_at_the_start_and_in_each_failure(drawn):
    output, _ = drawn({"SEED": "17", "EQUALITY_EXAMPLES": "150"}, failing=True)
    assert "Random examples are those of SEED=17 EQUALITY_EXAMPLES=150." in output
    assert "SEED=17 EQUALITY_EXAMPLES=150 repeats these examples." in output


def seeds(*arguments):
    """The seeds that make says."""
    command = ["make", "--dry-run", "--old-file=.venv/.installed", *arguments]
    found = subprocess.run(command, env=outside(), cwd=ROOT, capture_output=True, text=True, check=True)
    return re.findall(r"SEED=(\d+)", found.stdout)


@pytest.mark.parametrize("target", ["test-all", "equality", "random-joins"])
def test_make_begins_with_a_new_seed_or_the_given_one(target):
    (first,), (other,) = seeds(target), seeds(target)
    assert first != other
    assert seeds(target, "SEED=17") == ["17"]


def test_make_test_has_no_seed_of_its_own():
    assert seeds("test") == []
