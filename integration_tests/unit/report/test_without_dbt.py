"""The command reads artifacts that dbt has left, and runs where neither dbt nor Spark is installed."""

import json
import subprocess
import sys
from pathlib import Path

import click
import pytest
import shop

from build_support.builds import ROOT

# What the package takes for the report, and what these take; plotly asks for its own version
NEEDED = ("click", "jinja2", "markupsafe", "sqlglot", "*plotly*", "narwhals", "packaging")
OURS = ("dbt.adapters.adaptive_spark", "dbt.include.adaptive_spark")
LOADED = f"""
import json, sys
loaded = [name for name in sys.modules if name.partition(".")[0] in ("dbt", "dbt_common", "py4j", "pyspark", "agate")]
print(json.dumps([name for name in loaded if not name.startswith({OURS!r})]))
print(json.dumps([name for name in ("sqlglot", "jinja2", "plotly") if name in sys.modules]))
"""


def run(program, *arguments, options=()):
    text = program + LOADED
    ended = subprocess.run(
        [sys.executable, *options, "-c", text, *map(str, arguments)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    *told, loaded, slow = ended.stdout.splitlines()
    return "\n".join(told), json.loads(loaded), json.loads(slow)


def test_no_module_of_the_report_loads_dbt_or_spark():
    _, loaded, _ = run("""
import pkgutil
from importlib import import_module
from dbt.adapters.adaptive_spark import report
modules = [import_module(f"{report.__name__}.{each.name}") for each in pkgutil.iter_modules(report.__path__)]
assert len(modules) > 10
""")
    # the folders that dbt's packages and this one share
    assert set(loaded) <= {"dbt", "dbt.adapters", "dbt.include"}


def test_help_waits_for_no_parser_of_sql_and_no_template():
    told, loaded, slow = run("""
from dbt.adapters.adaptive_spark.cli import main
main(["--help"], standalone_mode=False)
""")
    assert "Reports what dbt on adaptive Spark did," in told
    assert set(loaded) <= {"dbt", "dbt.adapters", "dbt.include"}
    assert slow == []


@pytest.fixture
def installed(tmp_path):
    """A folder with what the report needs, and nothing else that is installed."""
    folder = tmp_path / "installed"
    (folder / "dbt" / "adapters").mkdir(parents=True)
    (folder / "dbt" / "include").mkdir()
    for kind in ("adapters", "include"):
        (folder / "dbt" / kind / "adaptive_spark").symlink_to(ROOT / "dbt" / kind / "adaptive_spark")
    site_packages = Path(click.__file__).parents[1]
    for package in (found for name in NEEDED for found in site_packages.glob(name)):
        (folder / package.name).symlink_to(package)
    return folder


def test_the_page_is_made_where_neither_dbt_nor_spark_is_installed(installed, tmp_path):
    target = shop.write(tmp_path / "target", shop.artifacts())
    program = """
import sys
from importlib.util import find_spec
sys.path.insert(0, sys.argv.pop(1))
assert not any(map(find_spec, ("dbt_common", "dbt.cli", "dbt.adapters.base", "pyspark", "py4j")))
from dbt.adapters.adaptive_spark.cli import main
main(["report", "--target-path", sys.argv[1]], standalone_mode=False)
"""
    told, loaded, _ = run(program, installed, target, options=("-I", "-S"))
    assert told.startswith(f"Wrote {target}/adaptive_spark_report.html (")
    assert set(loaded) <= {"dbt", "dbt.adapters", "dbt.include"}
    assert (target / "adaptive_spark_report.html").is_file()
