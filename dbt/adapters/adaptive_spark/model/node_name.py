"""Names of a node: for Spark, which labels its queries, and for its user. Pure."""

from __future__ import annotations

from typing import Any


def query_tag(node: Any) -> str:
    """The label of a node's queries: its unique id, with the batch's after `@` as microbatches run side by side."""
    batch = getattr(node, "batch", None)
    return str(node.unique_id) if batch is None else f"{node.unique_id}@{batch.id}"


def model_name(node: Any) -> str:
    """How the user knows a node: its file, and in a file of many, its name."""
    path = str(node.original_file_path)
    return path if path.endswith((".sql", ".py", ".csv")) else f"{path}, {node.name}"
