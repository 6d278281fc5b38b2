import sys

import pytest

from build_support.environments import ensure


@pytest.fixture
def made(tmp_path):
    """Makes an environment for what is wanted; returns whether it had to, and how often it was made."""

    def make(*wanted):
        log = tmp_path / "log"
        command = [sys.executable, "-c", f"open({str(log)!r}, 'a').write('x')"]
        return ensure(tmp_path / "environment", wanted, command), log.read_text()

    return make


def test_an_environment_is_made_again_only_for_something_else(made):
    assert made("a==1") == (True, "x")
    assert made("a==1") == (False, "x")
    assert made("a==2") == (True, "xx")


def test_one_that_was_not_finished_is_made_again(tmp_path):
    failing = [sys.executable, "-c", "raise SystemExit(1)"]
    for _ in range(2):
        with pytest.raises(Exception, match="returned non-zero"):
            ensure(tmp_path / "environment", ["a==1"], failing)
