from dbt.cli.main import seed
from dbt.tests.adapter.empty.test_empty import (
    BaseTestEmpty,
    BaseTestEmptyInlineSourceRef,
    BaseTestEmptySeedFlag,
)


class TestEmpty(BaseTestEmpty):
    pass


class TestEmptyInlineSourceRef(BaseTestEmptyInlineSourceRef):
    pass


class TestSeedFlag(BaseTestEmptySeedFlag):
    if "empty" not in {option.name for option in seed.params}:  # dbt-core 1.11 empties no seeds
        test_seed_empty_creates_table_with_zero_rows = None
        test_seed_empty_preserves_column_types = None
        test_build_empty_with_seed = None
