"""The joins of `qubole` against the least that can be read, in alternation: the ids of the
department in the query, as an IN list.

In `qubole` a query of minutes runs between the two, and what it leaves of caches and garbage
costs more than what is compared.
"""

from __future__ import annotations

from measure import Case, compare, save, spark_session
from qubole import OURS, ROWS, STOCK, STRATEGIES, asking, limited, questions, t1, t2
from queries import size

_, ROUNDS = size(ROWS, rounds=10)


def main() -> None:
    with spark_session("limit") as spark:
        t1(spark, shuffled=False).createOrReplaceTempView("t1")
        t2(spark).createOrReplaceTempView("t2")
        cases = [
            Case(
                f"{strategy}, {department}",
                asking(spark, {**conf, **STOCK}, limited(spark, department)),
                asking(spark, {**conf, **OURS}, query),
            )
            for strategy, conf in STRATEGIES.items()
            for department, query in questions(("scattered", "contiguous"))
        ]
        results = compare(cases, ROUNDS, warm_ups=3)
        save("limit", ROWS, results, {each["case"]: round(1 / each["ratio"], 2) for each in results})


if __name__ == "__main__":
    main()
