# make demo | test | lint | docs | site: each sets up what it needs, in .venv and jvm/target, and builds nothing twice.
# What a stage of test or lint needs stands in build_support/test.py and lint.py; only that is built: make lint ONLY=mypy builds no jar.
# Also: make check, make test-all, make test ONLY='unit engine', make scalatest ARGS='-s io.adaptivespark.SomeSuite', make equality TREES=50000,
# make random-joins JOINS=20000, make jars, make jars SPARK=4.1, make jars SPARK=all, make bench NAME=permutations, make dist,
# make test-formats, make test-servers, make test-packaging, make tpcds, make test-lowest, make test-installs,
# make test-spark SPARK=4.0, make test-random SPARK=4.0, make test-dbt-spark, make format, make clean.

PYTHON ?= python3
VENV := .venv
PY := $(VENV)/bin/python
INSTALLED := $(VENV)/.installed
BENCHMARKS := $(VENV)/.benchmarks
SITE := $(VENV)/.site

# The tools that install the rest, and that build the packages which PyPI has as sources only.
INSTALLERS := pip==26.3 setuptools==84.2.1 wheel==0.48.0

export PIP_DISABLE_PIP_VERSION_CHECK = 1

.PHONY: demo check test test-all test-formats test-servers test-packaging test-lowest test-installs test-spark test-random test-dbt-spark lint docs site dist jars bench scalatest equality random-joins tpcds format clean venv toolchain
.DEFAULT_GOAL := test

demo: jars
	$(PY) examples/flights/demo.py

# What the changes since main's last commit can break, those not committed included; SINCE=HEAD~1 for another commit.
check: $(INSTALLED)
	$(PY) -m build_support.check

test: $(INSTALLED)
	$(PY) -m build_support.test $(ONLY)

# What random tests begin with: SEED=… repeats them, `make test` begins with 0.
test-all equality random-joins: export SEED := $(or $(SEED),$(strip $(shell od -An -N4 -tu4 /dev/urandom)))

# The cross product too: every form of every plan, each query of TPC-DS with every kind of join, and more random filters
# and joins, new ones each time.
test-all: export FORMS = all
test-all: export STRATEGIES = all
test-all: export EQUALITY_EXAMPLES = 150
test-all: $(INSTALLED)
	@echo "Random tests begin with SEED=$(SEED)."
	$(PY) -m build_support.test $(ONLY)

lint: $(INSTALLED)
	$(PY) -m build_support.lint $(ONLY)

docs: jars
	$(PY) -m build_support.config_docs
	$(PY) -m build_support.line_table
	$(PY) -m build_support.install_table
	$(PY) -m build_support.dbt_spark_suite --write

# Into build/site, whose pages open from there.
site: $(SITE)
	NO_MKDOCS_2_WARNING=1 $(PY) -m mkdocs build --quiet

# The wheel and the source distribution, with the jars of all lines, into dist/.
dist: export SPARK ?= all
dist: jars
	rm -rf dist
	$(PY) -m build --no-isolation --outdir dist .

# Table formats, on the newest line that has all of them: Scala suites, projects in each, and dbt's own suite.
test-formats: $(INSTALLED)
	$(PY) -m build_support.test on-formats

# Spark Thrift servers over both protocols, and a cluster of processes.
test-servers: $(INSTALLED)
	$(PY) -m build_support.test on-servers

# What is packed into wheel, source distribution and jar, what Scala compiles again, and the tools that make fetches.
test-packaging: $(INSTALLED)
	$(PY) -m build_support.test packaging

# The unit tests and a model on Spark, with the oldest versions that pyproject.toml allows.
test-lowest: $(INSTALLED)
	$(PY) -m build_support.test lowest

# The wheel in empty environments, by plain pip, for each Python, dbt-core and line of Spark; writes down how that ended.
test-installs: export SPARK = all
test-installs: jars
	$(PY) -m build_support.try_installs $(ONLY)

# The suites on a line of Spark, which SPARK=4.0 names, in an environment of its own; writes down how they ended.
# ONLY='scala session' for some of them, SCALA=2.13 for the other of two Scalas.
test-spark: $(INSTALLED)
	$(PY) -m build_support.spark_tests $(ONLY)

# Random filters, joins and MERGEs on a line, and all queries of TPC-DS; adds to what was tried before.
# ONLY='trees delta-merges' for some, CASES=10000 for more of each.
test-random: $(BENCHMARKS)
	$(PY) -m build_support.random_tests $(ONLY)

# dbt-spark's own tests on Delta Lake, with dbt-spark and with this adapter; writes down how each of them ended.
test-dbt-spark: $(INSTALLED)
	$(PY) -m build_support.dbt_spark_suite

# The jar for the installed pyspark; SPARK=4.1 for another line of jvm/builds.json, SPARK=all for all of them, and
# SPARK=3.5 SCALA=2.13 for another Scala.
jars: $(INSTALLED)
	@$(PY) -m build_support.jars

bench: jars $(BENCHMARKS)
	@test -f "benchmarks/$(NAME).py" || { echo "Say which: make bench NAME=permutations (a program in benchmarks/)."; exit 1; }
	PYTHONPATH=. $(PY) benchmarks/$(NAME).py

# SPARK=4.1 for another line, and RELEASE=4.1.0 for another release of it.
scalatest: $(INSTALLED)
	$(PY) -m build_support.scalatest $(ARGS)

# As many random predicate trees with ANSI on as with ANSI off; TREES=50 SEED=… repeats those of one failure.
equality: export HOTSPOT = full
equality: export TREES := $(or $(TREES),50000)
equality: $(INSTALLED)
	@echo "Random trees begin with SEED=$(SEED)."
	$(PY) -m build_support.scalatest -s io.adaptivespark.filter.exec.EqualitySuite

# Random joins with the extension and without; JOINS=1 SEED=… repeats one failure.
random-joins: export HOTSPOT = full
random-joins: export JOINS := $(or $(JOINS),2000)
random-joins: $(INSTALLED)
	@echo "Random joins begin with SEED=$(SEED)."
	$(PY) -m build_support.scalatest -s io.adaptivespark.join.RandomJoinSuite

# All queries of TPC-DS at scale 0.1, each with every kind of join.
tpcds: export STRATEGIES = all
tpcds: $(INSTALLED)
	$(PY) -m build_support.test tpcds

format: $(INSTALLED)
	$(PY) -m ruff check --fix .
	$(PY) -m ruff format .
	$(PY) -m build_support.scala_sources

clean:
	rm -rf build dist jvm/target dbt/include/adaptive_spark/jars *.egg-info

venv: $(INSTALLED)

$(INSTALLED): constraints.txt setup.py pyproject.toml Makefile | toolchain
	$(PYTHON) -m venv $(VENV)
	$(PY) -m pip install --quiet $(INSTALLERS)
	$(PY) -m pip install -qq --no-build-isolation --constraint constraints.txt --editable '.[session,thrift,dev]'
	@touch $@

# What benchmarks need beyond that.
$(BENCHMARKS): benchmarks/requirements.txt $(INSTALLED)
	$(PY) -m pip install --quiet --constraint constraints.txt --requirement benchmarks/requirements.txt
	@touch $@

# What the site needs beyond that.
$(SITE): $(INSTALLED)
	$(PY) -m pip install -qq --no-build-isolation --constraint constraints.txt --editable '.[docs]'
	@touch $@

toolchain:
	@command -v $(PYTHON) >/dev/null || { echo "No $(PYTHON) found: install Python 3.11 or newer."; exit 1; }
	@$(PYTHON) build_support/toolchain.py
