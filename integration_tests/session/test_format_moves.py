"""Models and seeds that change from Delta Lake or Iceberg to another format."""

import pytest
from format_projects import failed, of_each_format, passed

FORMAT = "file_format=var('format', '{}')"
MODEL = "{{{{ config(materialized='{kind}', {format}) }}}} select {{{{ var('n', 1) }}}} as n"
KINDS = ("table", "incremental")
NAMES = ("of_table", "of_incremental", "of_seed")


@pytest.fixture(scope="module", params=of_each_format())
def shop(formats, request):
    name = request.param
    models = {f"models/of_{kind}.sql": MODEL.format(kind=kind, format=FORMAT.format(name)) for kind in KINDS}
    with formats.project(name, {**models, "seeds/of_seed.csv": "n\n1\n"}) as process:
        (process.folder / "seeds" / "properties.yml").write_text(
            f"seeds: [{{name: of_seed, config: {{file_format: \"{{{{ var('format', '{name}') }}}}\"}}}}]"
        )
        passed(process, "build")
        yield process


def test_a_table_is_dropped_only_for_one_that_can_be_made(shop):
    moved = {"format": "parquet", "n": 2}
    if shop.format == "iceberg":
        said = failed(shop, "build", "--full-refresh", **moved)
        for name in NAMES:
            assert f"shop.{name} is an Iceberg table, whose files stay where it is dropped" in said
            assert shop.rows(f"select n from shop.{name}") == [(1,)]
        return
    passed(shop, "build", "--full-refresh", **moved)
    for name in NAMES:
        assert shop.rows(f"select n from shop.{name}") == [(1 if name == "of_seed" else 2,)]
        providers = shop.rows(f"select distinct provider from adaptive_catalog('shop', '{name}')")
        assert providers == [("parquet",)]
