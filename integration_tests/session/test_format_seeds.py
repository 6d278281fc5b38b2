"""Seeds in Delta Lake and in Iceberg take the place of their tables, as models do."""

import pytest
from format_projects import failed, of_each_format, passed, versions

SEED = "id,two words\n1,ann\n2,ben\n"
MAPPED = "tblproperties: {delta.columnMapping.mode: name}"


@pytest.fixture(scope="module", params=of_each_format())
def shop(formats, request):
    names = ("managed", "placed", "moved")
    with formats.project(request.param, {f"seeds/{name}.csv": SEED for name in names}) as process:
        format_ = f"\"{{{{ var('format', '{process.format}') }}}}\""
        (process.folder / "seeds" / "properties.yml").write_text(
            f"seeds: [{{name: managed, config: {{{MAPPED}}}}}, "
            f"{{name: placed, config: {{{MAPPED}, location_root: '{process.folder}/placed'}}}}, "
            f"{{name: moved, config: {{file_format: {format_}, location_root: '{process.folder}/moved'}}}}]"
        )
        passed(process, "seed", "--exclude", "moved")
        yield process


def test_a_seed_has_its_rows_once_and_keeps_its_history(shop):
    for _ in range(2):
        passed(shop, "seed", "--exclude", "moved")
        for table in ("shop.managed", "shop.placed"):
            assert shop.rows(f"select id, `two words` from {table} order by id") == [(1, "ann"), (2, "ben")]
    # each run replaces the table, and Delta Lake has a version for its rows besides
    assert versions(shop, "shop.managed") >= 3
    assert versions(shop, "shop.placed") >= 3


def test_a_seed_has_the_columns_of_its_file(shop):
    for name in ("managed", "placed"):
        (shop.folder / "seeds" / f"{name}.csv").write_text("code,id\nx,7\n")
    passed(shop, "seed", "--exclude", "moved")
    for name in ("managed", "placed"):
        assert shop.rows(f"select * from shop.{name}") == [("x", 7)]


def test_a_seed_whose_table_the_catalog_has_lost_has_its_rows_once(shop):
    shop.rows("drop table shop.placed")
    passed(shop, "seed", "--select", "placed")
    assert shop.rows("select * from shop.placed") == [("x", 7)]


def test_a_seed_that_moves_to_another_format_keeps_its_table_or_its_rows(shop):
    passed(shop, "seed", "--select", "moved", format="parquet")
    if shop.format == "delta":
        said = failed(shop, "seed", "--select", "moved")
        assert "Delta Lake makes no seed over files (seeds/moved.csv)" in said
    else:
        passed(shop, "seed", "--select", "moved")
    assert shop.rows("select id, `two words` from shop.moved order by id") == [(1, "ann"), (2, "ben")]
