"""Random nested filters over the table of `nested`; a seed decides all."""

from __future__ import annotations

from random import Random

MODES = ["AIR", "AIR REG", "RAIL", "SHIP", "TRUCK", "MAIL", "FOB"]
INSTRUCTIONS = ["DELIVER IN PERSON", "COLLECT COD", "TAKE BACK RETURN", "NONE"]
SIZES = ["SM", "MED", "LG", "JUMBO", "WRAP"]
CONTAINERS = ["CASE", "BOX", "PACK", "PKG", "BAG", "JAR", "DRUM", "CAN"]


def quoted(values: list[str]) -> str:
    """The values as SQL literals, with commas."""
    return ", ".join(f"'{value}'" for value in values)


def leaf(random: Random) -> str:
    """A predicate on one dimension: a list of values to include or exclude, a bound, or a pattern."""
    column = f"c{random.randrange(8)}"
    values = ", ".join(str(v) for v in sorted(random.sample(range(1024), random.choice([8, 15, 30, 500]))))
    digits = "".join(random.sample("0123456789", 2))
    return random.choice(
        [
            f"{column} IN ({values})",
            f"{column} NOT IN ({values})",
            f"{column} {random.choice('<>')} {random.randrange(100, 924)}",
            f"d >= DATE '{random.choice([2018, 2019, 2020])}-{random.randrange(1, 13):02}-01'",
            f"s LIKE '%{digits[0]}%{digits[1]}%'",
            f"s RLIKE '[{digits}][{digits}]+$'",
        ]
    )


def tree(random: Random, leaves: int, operator: str) -> str:
    """A nested filter whose root is `operator`."""
    if leaves == 1:
        return leaf(random)
    cuts = sorted(random.sample(range(1, leaves), min(leaves, random.randint(2, 5)) - 1))
    parts = [until - since for since, until in zip([0, *cuts], [*cuts, leaves], strict=True)]
    below = "OR" if operator == "AND" else "AND"
    return "(" + f" {operator} ".join(tree(random, part, below) for part in parts) + ")"


def q19(random: Random) -> str:
    """An OR of three to six branches, each with its own values and order."""

    def branch() -> str:
        quantity, largest = random.randint(1, 30), random.randint(5, 15)
        conjuncts = [
            f"brand = 'Brand#{random.randint(11, 35)}'",
            f"container LIKE '{random.choice(SIZES)} %{random.choice('AOK')}%'",
            f"quantity >= {quantity} AND quantity <= {quantity + 10}",
            f"size BETWEEN 1 AND {largest}",
            f"mode IN ({quoted(random.sample(MODES, 2))})",
            f"instruction = '{random.choice(INSTRUCTIONS)}'",
        ]
        random.shuffle(conjuncts)
        return "(" + " AND ".join(conjuncts) + ")"

    return " OR ".join(branch() for _ in range(random.randint(3, 6)))
