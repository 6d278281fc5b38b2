"""Seeds in Delta Lake and in Iceberg take the place of their tables, as models do."""

import pytest
from format_projects import of_each_format, passed, versions

SEED = "id,two words\n1,ann\n2,ben\n"
MAPPED = "tblproperties: {delta.columnMapping.mode: name}"


@pytest.fixture(scope="module", params=of_each_format())
def shop(formats, request):
    with formats.project(request.param, {"seeds/managed.csv": SEED, "seeds/placed.csv": SEED}) as process:
        (process.folder / "seeds" / "properties.yml").write_text(
            f"seeds: [{{name: managed, config: {{{MAPPED}}}}}, "
            f"{{name: placed, config: {{{MAPPED}, location_root: '{process.folder}/placed'}}}}]"
        )
        passed(process, "seed")
        yield process


def test_a_seed_has_its_rows_once_and_keeps_its_history(shop):
    for _ in range(2):
        passed(shop, "seed")
        for table in ("shop.managed", "shop.placed"):
            assert shop.rows(f"select id, `two words` from {table} order by id") == [(1, "ann"), (2, "ben")]
    # each run replaces the table, and Delta Lake has a version for its rows besides
    assert versions(shop, "shop.managed") >= 3
    assert versions(shop, "shop.placed") >= 3


def test_a_seed_has_the_columns_of_its_file(shop):
    for name in ("managed", "placed"):
        (shop.folder / "seeds" / f"{name}.csv").write_text("code,id\nx,7\n")
    passed(shop, "seed")
    for name in ("managed", "placed"):
        assert shop.rows(f"select * from shop.{name}") == [("x", 7)]
