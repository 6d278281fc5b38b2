"""All that a stage of `make test` or `make lint` may need beyond `.venv`; only what the chosen stages need is made."""

from build_support.builds import oldest
from build_support.stages import Need, module

JAR = Need("jar", module("build_support.jars"))
SUITES = Need("suites", module("build_support.scalatest", "compile"))
OLDEST_SUITES = Need(
    "suites-oldest", ["env", f"SPARK={oldest().spark}", *module("build_support.scalatest", "compile")]
)
SPARK_START = Need("spark-start", module("build_support.spark_start"))
# The Makefile knows which requirements.txt it was installed from.
BENCHMARK_PACKAGES = Need("benchmark-packages", ["make", "--no-print-directory", ".venv/.benchmarks"])
CHROMIUM = Need("chromium", module("build_support.chromium"))
