"""Runs import-linter on our packages, which it would not find by itself.

It wants a package at the top or directly in namespace packages. Ours is, but the `__init__.py` files of dbt-core and
dbt-adapters in `dbt/` and `dbt/adapters/` hide that: so let it see the `dbt` of this checkout alone.
"""

from __future__ import annotations

import sys
from importlib.machinery import ModuleSpec
from importlib.util import module_from_spec
from pathlib import Path

from importlinter.cli import lint_imports

from build_support.builds import ROOT


def declare_namespace(name: str, folder: Path) -> None:
    """Makes `name` a namespace package that consists of `folder`."""
    spec = ModuleSpec(name, None, is_package=True)
    spec.submodule_search_locations = [str(folder)]
    sys.modules[name] = module_from_spec(spec)


def main() -> int:
    """import-linter's exit code."""
    declare_namespace("dbt", ROOT / "dbt")
    declare_namespace("dbt.adapters", ROOT / "dbt" / "adapters")
    return int(lint_imports(config_filename=str(ROOT / "pyproject.toml"), no_logo=True))


if __name__ == "__main__":
    sys.exit(main())
