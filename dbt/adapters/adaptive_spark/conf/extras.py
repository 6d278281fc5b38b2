"""How to install what an extra of this package brings, by the requirements that the installed package declares."""

from __future__ import annotations

DISTRIBUTION = "dbt-adaptive-spark"


def pip_install(extra: str, *options: str) -> str:
    """A command that works however this package came here, from a checkout, a wheel or an index: it names what
    the extra needs, not the package.
    """
    # slow to import, and only for a message
    from importlib.metadata import PackageNotFoundError, requires

    try:
        declared = requires(DISTRIBUTION) or []
    except PackageNotFoundError:  # a checkout on Python's path
        declared = []
    marker = f'extra == "{extra}"'
    needed = [text.partition(";")[0].strip() for text in declared if text.partition(";")[2].strip() == marker]
    what = " ".join(f"'{each}'" for each in needed) or f"'.[{extra}]'"
    return " ".join(["pip install", *options, what])
