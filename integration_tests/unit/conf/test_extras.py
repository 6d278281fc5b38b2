"""How to install an extra: a command that needs no index which has this package."""

from importlib.metadata import PackageNotFoundError

import pytest

from dbt.adapters.adaptive_spark.conf.extras import pip_install

REQUIRES = [
    "dbt-core<1.12,>=1.10.5",
    'pyspark<4.4,>=4.3; extra == "session"',
    'dbt-spark[PyHive]<2,>=1.10; extra == "thrift"',
    'one; extra == "docs"',
    'two; extra == "docs"',
]


@pytest.fixture
def declared(monkeypatch):
    def declare(requires):
        monkeypatch.setattr("importlib.metadata.requires", requires)

    return declare


def test_it_names_what_the_extra_needs_as_the_installed_package_declares_it(declared):
    declared(lambda name: REQUIRES)
    assert pip_install("session") == "pip install 'pyspark<4.4,>=4.3'"
    assert pip_install("thrift") == "pip install 'dbt-spark[PyHive]<2,>=1.10'"
    assert pip_install("docs", "--force-reinstall") == "pip install --force-reinstall 'one' 'two'"


def test_a_checkout_that_is_not_installed_is_installed_with_the_extra(declared):
    def requires(name):
        raise PackageNotFoundError(name)

    declared(requires)
    assert pip_install("session") == "pip install '.[session]'"


@pytest.mark.parametrize("extra", ["session", "thrift", "report"])
def test_every_extra_that_a_sentence_names_is_declared(extra):
    assert f"'.[{extra}]'" not in pip_install(extra)
