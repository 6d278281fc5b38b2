"""Constraints of a model's contract: as a check of its rows while they are written, and as those of its table. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dbt.adapters.adaptive_spark.conf.quoting import identifier, literal
from dbt.adapters.adaptive_spark.table.layout import DELTA, FORMAT, ICEBERG, SESSION_FORMATS

_NOT_NULL, _CHECK = "not_null", "check"


@dataclass(frozen=True)
class Rule:
    """A condition that all rows of a table fulfil, as SQL, and its name."""

    name: str
    condition: str


def rules(columns: Mapping[str, Any], constraints: Sequence[Any]) -> list[Rule]:
    """The checks and NOT NULLs of dbt's columns, by their names, and of its table. Spark enforces no keys."""
    found = []
    for name, column in columns.items():
        for each in column.get("constraints") or ():
            kind = _kind(each)
            if kind == _NOT_NULL:
                found.append(_not_null(name, each))
            elif kind == _CHECK and each.get("expression"):
                found.append(Rule(each.get("name") or f"{name}_check", each["expression"]))
    of_table = constraints or ()
    lists = [each for each in of_table if _kind(each) == _NOT_NULL]
    found += [_not_null(name, each) for each in lists for name in each.get("columns") or ()]
    checks = [each for each in of_table if _kind(each) == _CHECK and each.get("expression")]
    found += [
        Rule(each.get("name") or f"check_{at}", each["expression"]) for at, each in enumerate(checks, 1)
    ]
    return _with_own_names(found)


def constraint_properties(columns: Mapping[str, Any], constraints: Sequence[Any]) -> dict[str, str]:
    """The properties by which Delta Lake makes a table with constraints and its rows in one commit, or not at all."""
    return {f"delta.constraints.{rule.name}": rule.condition for rule in rules(columns, constraints)}


def idle_constraints(
    columns: Mapping[str, Any], constraints: Sequence[Any], configs: Mapping[str, Any], model: str
) -> str | None:
    """The sentence for rules that nothing enforces, since the model is not said to be in a format which does."""
    contract, format_ = configs.get("contract") or {}, configs.get(FORMAT)
    names = [rule.name for rule in rules(columns, constraints)]
    if not contract.get("enforced") or format_ in SESSION_FORMATS or not names:
        return None
    return (
        f"Nothing enforces the constraints {', '.join(names)} ({model}): its {FORMAT} is {format_ or 'not said'}. "
        f"Give it {FORMAT} {DELTA} or {ICEBERG}, or test its rows."
    )


def checked_select(
    sql: str, columns: Mapping[str, Any], constraints: Sequence[Any], format_: Any, is_new_table: bool
) -> str:
    """The columns of a contract, in its order, from the model's SQL. A row that breaks a rule is an error of the query
    in Iceberg, whose tables have no constraints of Spark's, and in Delta Lake, save for a new table, which has the
    rules itself. A null breaks a rule in Delta Lake, as it does there.

    The check stands in the first column: as a condition of its own, Spark would evaluate it on rows that a join drops.
    """
    first, *others = [identifier(name) for name in columns]
    is_checked = format_ == ICEBERG or (format_ == DELTA and not is_new_table)
    broken = rules(columns, constraints) if is_checked else []
    if broken:
        of_null = "false" if format_ == DELTA else "true"
        whens = (
            f"when not coalesce(({rule.condition}), {of_null}) then raise_error({literal(_message(rule))})"
            for rule in broken
        )
        first = f"case {' '.join(whens)} else {first} end as {first}"
    return f"select {', '.join([first, *others])} from (\n{sql}\n) as model_subq"


def _kind(constraint: Mapping[str, Any]) -> str:
    kind = constraint.get("type")
    return str(getattr(kind, "value", kind))


def _not_null(column: str, constraint: Mapping[str, Any]) -> Rule:
    return Rule(constraint.get("name") or f"{column}_not_null", f"{identifier(column)} is not null")


def _message(rule: Rule) -> str:
    return f"Constraint {rule.name} of the contract is broken: {rule.condition}"


def _with_own_names(found: Iterable[Rule]) -> list[Rule]:
    """The rules, where a name that another one has gets a number."""
    taken: dict[str, int] = {}
    own = []
    for rule in found:
        lower = rule.name.lower()
        taken[lower] = taken.get(lower, 0) + 1
        own.append(rule if taken[lower] == 1 else Rule(f"{rule.name}_{taken[lower]}", rule.condition))
    return own
