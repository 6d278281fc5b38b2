import re

import pytest
from dbt.tests.adapter.simple_seed.fixtures import properties__schema_yml
from dbt.tests.adapter.simple_seed.seeds import seeds__expected_sql
from dbt.tests.adapter.simple_seed.test_seed import (
    BaseBasicSeedTests,
    BaseSeedCustomSchema,
    BaseSeedParsing,
    BaseSeedWithEmptyDelimiter,
    BaseSeedWithUniqueDelimiter,
    BaseSeedWithWrongDelimiter,
    BaseSimpleSeedEnabledViaConfig,
    BaseTestEmptySeed,
)
from dbt.tests.adapter.simple_seed.test_seed_type_override import BaseSimpleSeedColumnOverride
from dbt.tests.util import run_dbt, write_file

TIMESTAMP = re.compile(r"('\d{4}-\d\d-\d\d \d\d:\d\d:\d\d')")

AWKWARD_SEED = """id,text_value,big_number,exact_number
1,it's,9007199254740993,0.1
2,back\\slash,-9007199254740993,
3,100%,,2.25
4,,0,3.0
"""

SPARK_TYPES = {
    "timestamp without time zone": "timestamp",
    "TIMESTAMP WITHOUT TIME ZONE": "timestamp",
    "integer": "bigint",
    "INTEGER": "bigint",
    "text": "string",
    "TEXT": "string",
}


def in_spark_types(text):
    for other, ours in SPARK_TYPES.items():
        text = text.replace(other, ours)
    return text


class ExpectedTable:
    """The table to compare seeds with, in Spark's types and a statement at a time."""

    @pytest.fixture(scope="class", autouse=True)
    def setUp(self, project):
        create, insert = in_spark_types(seeds__expected_sql).replace('"', "").split(";")[:2]
        project.run_sql(create)
        project.run_sql(TIMESTAMP.sub(r"timestamp\1", insert))


class TestBasicSeeds(ExpectedTable, BaseBasicSeedTests):
    # nothing cascades in Spark: the view on the seed outlives a full refresh
    def _check_relation_end_state(self, run_result, project, exists):
        super()._check_relation_end_state(run_result, project, exists=True)


class TestSeedCustomSchema(ExpectedTable, BaseSeedCustomSchema):
    pass


class TestSeedParsing(ExpectedTable, BaseSeedParsing):
    pass


class TestSeedWithUniqueDelimiter(ExpectedTable, BaseSeedWithUniqueDelimiter):
    pass


class TestSeedWithWrongDelimiter(ExpectedTable, BaseSeedWithWrongDelimiter):
    pass


class TestSeedWithEmptyDelimiter(ExpectedTable, BaseSeedWithEmptyDelimiter):
    pass


class TestSeedEnabledViaConfig(BaseSimpleSeedEnabledViaConfig):
    pass


class TestEmptySeed(BaseTestEmptySeed):
    pass


class TestSeedColumnOverride(BaseSimpleSeedColumnOverride):
    @pytest.fixture(scope="class")
    def models(self):
        return {"schema.yml": in_spark_types(properties__schema_yml)}

    @staticmethod
    def seed_enabled_types():
        return {"seed_id": "string", "birthday": "date"}

    @staticmethod
    def seed_tricky_types():
        return {"seed_id_str": "string", "looks_like_a_bool": "string", "looks_like_a_date": "string"}


class TestSeedValues:
    """Quotes, backslashes, per cent signs, nulls and integers past 2^53 arrive as they stand in the file."""

    @pytest.fixture(scope="class")
    def seeds(self):
        return {"awkward.csv": AWKWARD_SEED}

    def test_values_arrive_unchanged(self, project):
        run_dbt(["seed"])
        rows = project.run_sql("select * from {schema}.awkward", fetch="all")
        assert sorted(tuple(row) for row in rows) == [
            (1, "it's", 9007199254740993, 0.1),
            (2, "back\\slash", -9007199254740993, None),
            (3, "100%", None, 2.25),
            (4, None, 0, 3.0),
        ]


class TestSeedOfALocation:
    """Files stay where a table of a location is dropped."""

    @pytest.fixture(scope="class")
    def seeds(self):
        return {"placed.csv": "id\n1\n2\n"}

    @pytest.fixture(scope="class")
    def project_config_update(self, tmp_path_factory):
        root = str(tmp_path_factory.mktemp("placed"))
        return {"seeds": {"+location_root": root, "+file_format": "parquet"}}

    def test_it_has_its_rows_once(self, project):
        for text, expected in {"id\n1\n2\n": 2, "id\n3\n": 1, "id\n": 0}.items():
            write_file(text, project.project_root, "seeds", "placed.csv")
            run_dbt(["seed"])
            rows = project.run_sql("select * from {schema}.placed", fetch="all")
            assert len(rows) == expected


class TestPartitionedSeed:
    """Spark puts the columns that a table is partitioned by last."""

    @pytest.fixture(scope="class")
    def seeds(self):
        return {
            "codes.csv": "code,region,name\na,north,ann\nb,south,ben\n",
            "shares.csv": "region,share_%\nnorth,40\n",
        }

    @pytest.fixture(scope="class")
    def project_config_update(self):
        return {"seeds": {"+partition_by": "region"}}

    def test_each_value_is_in_its_column(self, project):
        for arguments in ([], [], ["--full-refresh"]):
            run_dbt(["seed", *arguments])
            rows = project.run_sql("select code, region, name from {schema}.codes", fetch="all")
            assert sorted(map(tuple, rows)) == [("a", "north", "ann"), ("b", "south", "ben")]
            assert project.run_sql("select `share_%` from {schema}.shares", fetch="one")[0] == 40
