"""The lines that set a config of one node, and the file that they go into. Pure."""

from __future__ import annotations

import json
import re

from dbt.adapters.adaptive_spark.report.manifest import Project, ProjectNode

_PLAIN = re.compile(r"[A-Za-z_][\w.]*")
_PROJECT_FILE = "dbt_project.yml"


def analyze_lines(node: ProjectNode, project: Project, min_rows: int | None = None) -> tuple[str, str]:
    """`analyze` for its downstream models; in the node's own file where that is SQL of this project."""
    if node.package == project.name and node.language == "sql" and node.path.endswith(".sql"):
        value: object = "auto" if min_rows is None else {"columns": "auto", "min_rows": min_rows}
        return f"{{{{ config(analyze={value!r}) }}}}", node.path
    said = "auto" if min_rows is None else f"{{columns: auto, min_rows: {min_rows}}}"
    return in_project(node, f"+analyze: {said}")


def in_project(node: ProjectNode, line: str) -> tuple[str, str]:
    """A config in dbt_project.yml, which dbt adds to what the node's own file says: dictionaries are
    merged only from level to level.
    """
    names = [f"{node.kind}s", *map(yaml_name, node.fqn)]
    return "\n".join(
        [*("  " * at + f"{name}:" for at, name in enumerate(names)), "  " * len(names) + line]
    ), _PROJECT_FILE


def yaml_name(name: str) -> str:
    """A name as YAML has it, quoted where it must be."""
    return name if _PLAIN.fullmatch(name) else json.dumps(name)
