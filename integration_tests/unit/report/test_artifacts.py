"""The files of a run: what is read, and the sentence where one can't be."""

import json

import pytest
import shop

from dbt.adapters.adaptive_spark.report.artifacts import ArtifactError, artifacts


@pytest.fixture
def target(tmp_path):
    return shop.write(tmp_path / "target", shop.artifacts())


def complaint(target, docs=None):
    with pytest.raises(ArtifactError) as error:
        artifacts(target, docs or target)
    return str(error.value)


def test_all_of_them(target):
    found = artifacts(target, target)
    assert (len(found.run.nodes), found.project.name) == (17, "shop")
    assert len(found.catalog.tables) == 7
    assert len(found.memory["model.shop.late_orders"].orders[0].runs) == 10


def test_catalog_and_memory_may_be_missing(target):
    (target / "catalog.json").unlink()
    (target / "adaptive_filters.json").unlink()
    found = artifacts(target, target)
    assert (found.catalog, found.memory) == (None, None)


def test_manifest_and_catalog_may_be_elsewhere(target, tmp_path):
    docs = tmp_path / "docs"
    docs.mkdir()
    for name in ("manifest.json", "catalog.json"):
        (target / name).rename(docs / name)
    assert artifacts(target, docs).catalog is not None


@pytest.mark.parametrize("name", ["run_results.json", "manifest.json"])
def test_a_missing_one_says_what_makes_it(target, name):
    (target / name).unlink()
    assert complaint(target) == (
        f"{target / name} is missing: `dbt build` makes it. If dbt writes its artifacts elsewhere, say --target-path."
    )


@pytest.mark.parametrize("content", [b"", b"{ cut", b"\xff\xfe\x00", b"[" * 100_000])
@pytest.mark.parametrize(
    ("name", "command"),
    [("run_results.json", "dbt build"), ("catalog.json", "dbt docs generate --no-compile")],
)
def test_a_damaged_one(target, name, command, content):
    (target / name).write_bytes(content)
    assert complaint(target) == f"{target / name} is not JSON. Run `{command}` again."


def test_one_of_another_shape(target):
    content = shop.manifest()
    content["nodes"]["model.shop.orders"]["name"] = None
    (target / "manifest.json").write_text(json.dumps(content))
    assert complaint(target) == (
        f"{target / 'manifest.json'} is not what dbt writes: nodes.model.shop.orders.name is missing. Run `dbt build` again."
    )
    (target / "manifest.json").write_text("[]")
    assert "it is [], not an object" in complaint(target)


@pytest.mark.parametrize(
    ("name", "schema", "oldest", "command"),
    [
        ("run_results.json", "run-results/v5", 6, "dbt build"),
        ("manifest.json", "manifest/v11", 12, "dbt build"),
        ("catalog.json", "catalog/v0", 1, "dbt docs generate --no-compile"),
    ],
)
def test_one_of_an_old_dbt(target, name, schema, oldest, command):
    content = shop.artifacts()[name]
    content["metadata"]["dbt_schema_version"] = f"https://schemas.getdbt.com/dbt/{schema}.json"
    (target / name).write_text(json.dumps(content))
    assert complaint(target) == (
        f"{target / name} is too old: it has version {schema[-1] if schema[-2] == 'v' else schema[-2:]} of dbt's schema, and "
        f"version {oldest} or newer is read. Run `{command}` with dbt 1.8 or newer."
    )


def test_a_newer_one_is_read(target):
    content = shop.run_results()
    content["metadata"]["dbt_schema_version"] = "https://schemas.getdbt.com/dbt/run-results/v7.json"
    (target / "run_results.json").write_text(json.dumps(content))
    assert len(artifacts(target, target).run.nodes) == 17


def test_another_kind_of_file(target):
    (target / "run_results.json").write_text((target / "manifest.json").read_text())
    assert "its schema is 'https://schemas.getdbt.com/dbt/manifest/v12.json'" in complaint(target)


def test_a_memory_of_another_version(target):
    (target / "adaptive_filters.json").write_text('{"version": 3}')
    assert complaint(target) == (
        f"{target / 'adaptive_filters.json'} is of version 3, and this release reads version 2. Delete it: the next run makes it anew."
    )


def test_one_that_can_not_be_read(target):
    (target / "catalog.json").unlink()
    (target / "catalog.json").mkdir()
    assert complaint(target) == f"{target / 'catalog.json'} cannot be read: Is a directory."
