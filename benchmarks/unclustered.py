"""The sort-merge join of `qubole` with t1 in no order at all, so that no part of its files can be left
out: rows are dropped one by one.
"""

from __future__ import annotations

from qubole import run

if __name__ == "__main__":
    run("unclustered", ["sort-merge"], shuffled=True)
