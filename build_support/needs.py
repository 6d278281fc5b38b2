"""All that a stage of `make test` or `make lint` may need beyond `.venv`; only what the chosen stages need is made."""

from build_support.builds import Build, oldest
from build_support.format_jars import newest_with_formats
from build_support.stages import Need, module


def _on(build: Build, *command: str) -> list[str]:
    """A command of `build_support` for another build than that of the installed pyspark."""
    return ["env", *(f"{key}={value}" for key, value in build.named.items()), *module(*command)]


JAR = Need("jar", module("build_support.jars"))
FORMATS_JAR = Need("jar-formats", _on(newest_with_formats(), "build_support.jars"))
SUITES = Need("suites", module("build_support.scalatest", "compile"))
OLDEST_SUITES = Need("suites-oldest", _on(oldest(), "build_support.scalatest", "compile"))
FORMATS_SUITES = Need("suites-formats", _on(newest_with_formats(), "build_support.scalatest", "compile"))
SPARK_START = Need("spark-start", module("build_support.spark_start"), is_apart=True)
# The Makefile knows which requirements.txt it was installed from.
BENCHMARK_PACKAGES = Need("benchmark-packages", ["make", "--no-print-directory", ".venv/.benchmarks"])
CHROMIUM = Need("chromium", module("build_support.chromium"), is_apart=True)
