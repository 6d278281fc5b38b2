"""Plan changes by adaptive execution, each kind by a model of its own, as dbt's artifacts and console show it."""

import json
import re

import pytest
from projects import dbt, write_project

FACTS = "{{ config(materialized='table') }} select id, id % 1000 as k, if(id < 90000, 0, id) as skewed from range(0, 100000, 1, 4)"
NAMES = "{{ config(materialized='table') }} select id, concat('name', id) as name from range(0, 100000, 1, 2)"


def model(sql, **confs):
    """A table of `sql`, made under these confs; dots are written as two underscores."""
    named = {f"spark.sql.{name.replace('__', '.')}": value for name, value in confs.items()}
    return f"{{{{ config(materialized='table', dynamic_filter=false, spark_conf={named!r}) }}}} {sql}"


MODELS = {
    "facts": FACTS,
    "names": NAMES,
    "coalesced": model("select k, count(*) as n from {{ ref('facts') }} group by k", shuffle__partitions=10),
    "joined": model(
        "select f.id from {{ ref('facts') }} f join {{ ref('names') }} n on f.id = n.id where substr(n.name, 1, 7) = 'name123'",
        autoBroadcastJoinThreshold="100KB",
    ),
    "split": model(
        "select f.id, n.name from {{ ref('facts') }} f join {{ ref('names') }} n on f.skewed = n.id",
        autoBroadcastJoinThreshold="-1",
        shuffle__partitions=10,
        adaptive__skewJoin__skewedPartitionThresholdInBytes="20KB",
        adaptive__advisoryPartitionSizeInBytes="20KB",
    ),
    "unchanged": model("select id from {{ ref('facts') }} where id < 10"),
}


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """The responses by model, and what dbt printed."""
    project = tmp_path_factory.mktemp("project")
    write_project(project, {f"models/{name}.sql": text for name, text in MODELS.items()}, threads=1)
    printed = dbt(project, "--debug", "run").stdout
    results = json.loads((project / "target" / "run_results.json").read_text())["results"]
    return {each["unique_id"].split(".")[2]: each["adapter_response"] for each in results}, printed


def changes(built, name, kind):
    return (built[0][name].get("aqe") or {}).get(kind, [])


def test_partitions_that_are_coalesced(built):
    (change,) = changes(built, "coalesced", "coalesced")
    assert (change["planned"], change["actual"]) == (10, 1)
    assert change["tables"].endswith("shop.facts")
    assert "partitions" not in built[0]["coalesced"]["_message"]


def test_a_join_that_is_broadcast_once_its_side_is_known(built):
    (change,) = changes(built, "joined", "join")
    assert (change["planned"], change["actual"]) == ("SortMergeJoin", "BroadcastHashJoin")


def test_a_wrong_estimate_and_whose_it_is(built):
    wrong = [each for each in changes(built, "joined", "rows") if each["tables"].endswith("shop.names")]
    assert [each["actual"] for each in wrong] == [111]
    assert wrong[0]["planned"] > 1110
    assert re.search(
        r"Spark estimated [\d,]+ rows from shop\.names\. While it ran, 111 were counted", built[1]
    )
    # Spark estimates no condition on a function, whatever the statistics are
    assert "may help" not in built[0]["joined"]["_message"]


def test_skewed_partitions_that_are_split(built):
    (change,) = changes(built, "split", "split")
    assert change["planned"] == 1
    assert change["actual"] > 1
    assert change["tables"].endswith("shop.facts")
    assert not changes(built, "split", "join")


def test_a_plan_that_was_right_says_nothing(built):
    assert not built[0]["unchanged"].get("aqe")
    assert built[0]["unchanged"]["_message"] == "OK, 10 rows"
