"""Servers that tests start on this machine: a port that is free, and the wait until one listens."""

from __future__ import annotations

import random
import socket
import subprocess
import time
from contextlib import suppress
from pathlib import Path

import pytest

UP_WITHIN_S = 240
# below those that systems give to who asks for any, as other Sparks do between the choice and the server's start
PORTS = range(20_000, 32_000)


def free_port() -> int:
    for port in random.SystemRandom().sample(PORTS, 100):
        with socket.socket() as taken, suppress(OSError):
            taken.bind(("127.0.0.1", port))
            return port
    pytest.fail(f"No port of {PORTS.start} to {PORTS.stop} is free.")


def wait_for(server: subprocess.Popen[bytes], port: int, log: Path) -> None:
    """Returns once `server` listens on `port`; fails with the end of its log where it ends, or takes too long."""
    end = time.monotonic() + UP_WITHIN_S
    while time.monotonic() < end:
        assert server.poll() is None, log.read_text()[-3000:]
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            time.sleep(1)
        else:
            return
    pytest.fail(f"The server is not up after {UP_WITHIN_S} s: {log.read_text()[-3000:]}")
