"""The gain of filters on several lines of Spark, each against its own stock Spark: six written orders of four
conjuncts, and the five queries of TPC-DS that gain most.

LINES names the lines (3.5,4.1,4.3), the last of them the one that the others are compared with. Each runs in a process
of its own, with its own pyspark. SF is the scale of TPC-DS (10); a query that takes more than ten seconds is measured
once.
"""

from __future__ import annotations

import json
import os
import sys
from itertools import permutations
from pathlib import Path
from typing import Any

from build_support.builds import ROOT, builds
from build_support.jars import ensure
from build_support.maven import spark_home
from measure import apart, compare, gains, save, spark_session
from permutations import CONJUNCTS, ROUNDS, ROWS, case, table
from tpcds import CLASSES, GAIN_MOST, against_stock, all_queries, register

LINES = os.environ.get("LINES", "3.5,4.1,4.3").split(",")
# Each conjunct is written first in one or two of them.
ORDERS = list(permutations(CONJUNCTS))[::4]
QUERIES = GAIN_MOST[:5]


def measure_line(result: Path) -> None:
    """Measures all cases on the Spark of this process, into the file `result`: its release, and the cases by
    benchmark.
    """
    with spark_session(
        "lines", spark__driver__memory="10g", spark__sql__codegen__cache__maxEntries=CLASSES
    ) as spark:
        rows = table(spark)
        orders = compare([case(spark, rows, order) for order in ORDERS], ROUNDS)
        register(spark)
        texts = all_queries()
        queries = [against_stock(spark, name, texts[name], name) for name in QUERIES]
        found = {"spark": spark.version, "permutations": orders, "tpcds": queries}
        result.write_text(json.dumps(found), encoding="utf-8")


def measured(line: str) -> dict[str, Any]:
    """The result of `measure_line` on a line of Spark, in a process that has its pyspark."""
    build = next(each for each in builds() if each.spark == line and not each.jars)
    ensure(build)
    home = spark_home(build)
    environment = {"SPARK_HOME": str(home), "PYTHONPATH": os.pathsep.join([str(home.parent), str(ROOT)])}
    return dict(apart(__file__, **environment))


def main() -> None:
    found = {line: measured(line) for line in LINES}
    summary = {
        name: gains({line: some[name] for line, some in found.items()}, LINES[-1])
        for name in ("permutations", "tpcds")
    }
    cases = [
        {**each, "case": f"{line}, {each['case']}"}
        for line, some in found.items()
        for each in (*some["permutations"], *some["tpcds"])
    ]
    save("lines", ROWS, cases, summary, spark=", ".join(some["spark"] for some in found.values()))


if __name__ == "__main__":
    if len(sys.argv) > 1:
        measure_line(Path(sys.argv[1]))
    else:
        main()
