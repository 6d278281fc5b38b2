"""jvm/mvnw against a server of our own: any one download tool will do, and only the pinned bytes."""

from __future__ import annotations

import hashlib
import io
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from build_support.builds import ROOT

NEEDED = ["sh", "cut", "dirname", "gzip", "mkdir", "mktemp", "mv", "rm", "sed", "tar", "tr"]
# Python and Java are on every machine that runs this; curl and wget on most.
TOOLS = [("python3",), ("java",), ("curl", "sha512sum"), ("wget", "sha512sum")]
MAVEN = b"#!/bin/sh\necho this is maven: $*\n"


class QuietHandler(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        """Says nothing."""


def archive() -> bytes:
    """A Maven that only says its arguments, packed like the real one."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as tar:
        mvn = tarfile.TarInfo("apache-maven-0.0.0/bin/mvn")
        mvn.size, mvn.mode = len(MAVEN), 0o755
        tar.addfile(mvn, io.BytesIO(MAVEN))
    return packed.getvalue()


@pytest.fixture
def module(tmp_path: Path) -> Iterator[Path]:
    """A module with our mvnw, pinned to the archive on a local server."""
    served = tmp_path / "served"
    served.mkdir()
    content = archive()
    (served / "apache-maven-0.0.0-bin.tar.gz").write_bytes(content)
    module = tmp_path / "module"
    shutil.copytree(ROOT / "jvm" / ".mvn", module / ".mvn")
    shutil.copy(ROOT / "jvm" / "mvnw", module / "mvnw")
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(QuietHandler, directory=str(served))) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{server.server_port}/apache-maven-0.0.0-bin.tar.gz"
        sha512 = hashlib.sha512(content).hexdigest()
        properties = f"distributionUrl={url}\ndistributionSha512Sum={sha512}\n"
        (module / ".mvn" / "wrapper" / "maven-wrapper.properties").write_text(properties)
        yield module
        server.shutdown()


def program(tool: str) -> str | None:
    """Where a tool of this machine is; Python is always the one that runs this test."""
    return sys.executable if tool == "python3" else shutil.which(tool)


def run_mvnw(module: Path, *tools: str) -> subprocess.CompletedProcess[str]:
    """Runs it with an empty home and a PATH that holds `tools` and what every system has."""
    path = module.parent / "path"
    path.mkdir()
    for tool in [*NEEDED, *tools]:
        found = program(tool)
        assert found is not None, f"no {tool} on this machine"
        (path / tool).write_text(f'#!/bin/sh\nexec "{found}" "$@"\n')
        (path / tool).chmod(0o755)
    environment = {"PATH": str(path), "HOME": str(module.parent / "home")}
    return subprocess.run([str(module / "mvnw"), "-v"], env=environment, capture_output=True, text=True)


@pytest.mark.parametrize("tools", [tools for tools in TOOLS if all(map(program, tools))])
def test_any_one_tool_fetches_maven_into_an_empty_home(module: Path, tools: tuple[str, ...]) -> None:
    ran = run_mvnw(module, *tools)
    assert (ran.stdout, ran.returncode) == ("this is maven: -v\n", 0), ran.stderr


def test_other_bytes_than_the_pinned_ones_are_refused(module: Path) -> None:
    properties = module / ".mvn" / "wrapper" / "maven-wrapper.properties"
    lines = properties.read_text().splitlines()
    properties.write_text(f"{lines[0]}\ndistributionSha512Sum={'0' * 128}\n")
    ran = run_mvnw(module, "python3")
    assert ran.returncode == 1
    assert "does not have the SHA-512" in ran.stderr
    assert not list(module.parent.glob("home/.m2/wrapper/dists/*/*"))


def test_no_tool_to_download_with_is_one_sentence(module: Path) -> None:
    ran = run_mvnw(module)
    assert ran.returncode == 1
    assert ran.stderr.endswith("install curl or wget, and check the network.\n")
    assert ran.stderr.count("\n") == 1
