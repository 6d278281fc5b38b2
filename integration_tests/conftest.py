"""Fixtures for every kind of test. dbt's own come from its plugin, which only a top-level conftest may name."""

pytest_plugins = ["dbt.tests.fixtures.project"]
