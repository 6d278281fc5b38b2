"""All that a stage of `make test` or `make lint` may need beyond `.venv`; only what the chosen stages need is made."""

from build_support.stages import Need, module

JAR = Need("jar", module("build_support.jars"))
SUITES = Need("suites", module("build_support.scalatest", "compile"))
CLASS_ARCHIVE = Need("class-archive", module("build_support.class_archive"))
# The Makefile knows which requirements.txt it was installed from.
BENCHMARK_PACKAGES = Need("benchmark-packages", ["make", "--no-print-directory", ".venv/.benchmarks"])
CHROMIUM = Need("chromium", module("build_support.chromium"))
