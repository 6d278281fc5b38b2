"""The oldest versions that users may have: one for each requirement, as pyproject.toml declares it."""

import pytest

from build_support.lowest import constraints, lower_bounds, requirements


def test_a_lower_bound_becomes_that_version():
    declared = ["a-b>=1.2,<3", "c[x,y]>=4", "d<9, >= 2.0 ; python_version >= '3.11'"]
    assert list(lower_bounds(declared)) == ["a-b==1.2", "c==4", "d==2.0"]


@pytest.mark.parametrize("requirement", ["a", "a<2", "a; python_version >= '3.11'"])
def test_a_requirement_without_a_lower_bound_is_refused(requirement):
    with pytest.raises(ValueError, match="has no lower bound"):
        list(lower_bounds([requirement]))


def test_each_package_that_users_get_is_held_to_its_bound(tmp_path):
    lines = constraints(tmp_path / "lowest.txt").read_text().splitlines()
    names = {line.partition("==")[0] for line in lines}
    assert len(lines) == len(names), "a package with two lower bounds"
    assert names >= {"dbt-core", "dbt-adapters", "dbt-spark", "sqlglot", "pyspark", "plotly"}
    assert len(requirements()) >= len(lines)
