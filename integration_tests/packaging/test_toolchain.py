"""The words of make on a machine where it can't work: one sentence, before anything is installed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from build_support import toolchain
from build_support.builds import ROOT


def run_toolchain(path: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(ROOT / "build_support" / "toolchain.py")]
    return subprocess.run(command, env={"PATH": str(path), **environment}, capture_output=True, text=True)


def fake_java(folder: Path, banner: str, modules: str = toolchain.SPARK_MODULE) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    java = folder / "java"
    java.write_text(f"#!/bin/sh\n[ $1 = -version ] && echo '{banner}' >&2 || echo {modules}\n")
    java.chmod(0o755)


@pytest.mark.parametrize(
    ("banner", "major"),
    [
        ('openjdk version "17.0.15" 2025-04-15', 17),
        ('openjdk version "21" 2023-09-19', 21),
        ('java version "1.8.0_402"', 8),
        ("The operation could not be completed. Unable to locate a Java Runtime.", 0),
    ],
)
def test_java_major_is_read_off_the_banner(banner: str, major: int) -> None:
    assert toolchain.java_major(banner) == major


def test_no_java_is_one_sentence(tmp_path: Path) -> None:
    ran = run_toolchain(tmp_path)
    assert ran.returncode == 1
    assert ran.stderr == f"No Java found (java): {toolchain.INSTALL_JAVA}\n"


def test_an_old_java_is_one_sentence(tmp_path: Path) -> None:
    fake_java(tmp_path, 'openjdk version "11.0.22" 2024-01-16')
    ran = run_toolchain(tmp_path)
    assert ran.returncode == 1
    assert ran.stderr == f"Java 11 is too old (java): {toolchain.INSTALL_JAVA}\n"


def test_a_java_without_what_spark_needs_is_one_sentence(tmp_path: Path) -> None:
    fake_java(tmp_path, 'openjdk version "17.0.15" 2025-04-15', modules="java.base@17.0.15")
    ran = run_toolchain(tmp_path)
    lacks = "Java 17 (java) lacks the module jdk.incubator.vector, which Spark needs"
    assert ran.stderr == f"{lacks}: {toolchain.INSTALL_JAVA}\n"


def test_java_home_goes_before_path(tmp_path: Path) -> None:
    fake_java(tmp_path, 'openjdk version "17.0.15" 2025-04-15')
    fake_java(tmp_path / "old" / "bin", 'java version "1.8.0_402"')
    assert run_toolchain(tmp_path).returncode == 0
    ran = run_toolchain(tmp_path, JAVA_HOME=str(tmp_path / "old"))
    assert ran.stderr == f"Java 8 is too old ({tmp_path}/old/bin/java): {toolchain.INSTALL_JAVA}\n"


def test_an_old_python_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "version_info", (3, 10, 13, "final", 0))
    complaint = toolchain.python_complaint()
    assert complaint.startswith(f"Python 3.10.13 is too old ({sys.executable}): install Python 3.11 or newer")
    assert "\n" not in complaint


def test_make_without_python_is_one_sentence(tmp_path: Path) -> None:
    environment = {key: value for key, value in os.environ.items() if not key.startswith("MAKE")}
    ran = subprocess.run(
        ["make", "toolchain", "PYTHON=python-that-is-not-there"],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
    )
    assert ran.returncode != 0
    assert ran.stdout == "No python-that-is-not-there found: install Python 3.11 or newer.\n"
