import getpass

import pytest
from dbt.tests.adapter.basic.expected_catalog import (
    base_expected_catalog,
    expected_references_catalog,
    no_stats,
)
from dbt.tests.adapter.basic.test_docs_generate import BaseDocsGenerate, BaseDocsGenReferences
from dbt.tests.util import AnyInteger

pytestmark = pytest.mark.usefixtures("artifacts")
TYPES = {
    "id_type": "bigint",
    "text_type": "string",
    "time_type": "timestamp",
    "view_type": "view",
    "table_type": "table",
}

# Spark notes the size of a table that it creates from a query
SIZE = {
    "has_stats": {**no_stats()["has_stats"], "value": True},
    "bytes": {
        "id": "bytes",
        "label": "bytes",
        "value": AnyInteger(),
        "description": "Of the table's files, when it was last analyzed",
        "include": True,
    },
}


def counted_from_zero(catalog):
    """dbt-spark counts columns from 0, the suite from 1."""
    for node in [*catalog["nodes"].values(), *catalog["sources"].values()]:
        node["columns"] = {
            name: {**column, "index": column["index"] - 1} for name, column in node["columns"].items()
        }
    return catalog


class TestDocsGenerate(BaseDocsGenerate):
    @pytest.fixture(scope="class")
    def expected_catalog(self, project):
        return base_expected_catalog(project, role=getpass.getuser(), model_stats=no_stats(), **TYPES)


class TestDocsGenReferences(BaseDocsGenReferences):
    @pytest.fixture(scope="class")
    def expected_catalog(self, project):
        expected = expected_references_catalog(
            project,
            role=getpass.getuser(),
            model_stats=SIZE,
            seed_stats=no_stats(),
            view_summary_stats=no_stats(),
            bigint_type="bigint",
            **TYPES,
        )
        return counted_from_zero(expected)
