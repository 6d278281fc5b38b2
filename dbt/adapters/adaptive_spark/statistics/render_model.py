"""A node's future SQL, rendered by dbt's own Jinja without running it.

No query is sent, and `ref` answers for nodes that are not built yet.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

from dbt.adapters.events.logging import AdapterLogger
from dbt_common.clients.jinja import get_environment
from dbt_common.exceptions import DbtBaseException
from jinja2.exceptions import TemplateError
from jinja2.meta import find_undeclared_variables
from jinja2.nodes import Getattr, Name

from dbt.adapters.adaptive_spark.statistics.column_usage import UnreadSqlError

Relation = Callable[[Any], Any]
_logger = AdapterLogger("AdaptiveSpark")
_OTHER_DBT = "this release of dbt-core does not show its SQL before it runs"
_NEEDS_TO_RUN = "its Jinja needs to run"
_GET = "adapter.get"
_ANSWERED_WHEN_RUN = frozenset(["run_query", "statement", "load_result", "load_relation", "graph", _GET])


def ways(node: Any, config: Any, manifest: Any, relation: Relation) -> list[str]:
    """The texts that the node may run: an incremental model has a first one and a later one.

    `relation` gives the relation of a node or source. Raises UnreadSqlError.
    """
    texts = [_rendered(node, config, manifest, relation, is_incremental=False)]
    if node.config.materialized == "incremental":
        texts.append(_rendered(node, config, manifest, relation, is_incremental=True))
    return list(dict.fromkeys(texts))


def _rendered(node: Any, config: Any, manifest: Any, relation: Relation, is_incremental: bool) -> str:
    parents = [_known(manifest, each) for each in node.depends_on.nodes]
    context, render = _jinja_of_dbt(node, config, manifest)
    context["ref"] = lambda *names, **version: relation(_referred(parents, names, version, node.package_name))
    context["source"] = lambda *names: relation(_sourced(parents, names))
    context["this"] = relation(node)
    context["is_incremental"] = lambda: is_incremental
    try:
        return str(render(node.raw_code, context, node))
    except (
        DbtBaseException,
        TemplateError,
        ArithmeticError,
        AttributeError,
        LookupError,
        TypeError,
        ValueError,
    ) as error:
        # a macro that looks at the result of a query which has not run fails in any of these ways
        raise UnreadSqlError(_NEEDS_TO_RUN) from error


def _jinja_of_dbt(node: Any, config: Any, manifest: Any) -> tuple[dict[str, Any], Callable[..., Any]]:
    """The names that dbt-core gives the node's Jinja, and what renders it.

    They are dbt-core's internals: a release that has renamed them costs the columns that `auto` finds, and no run.
    """
    try:
        from dbt.clients.jinja import get_rendered
        from dbt.context.providers import GenerateNameProvider, ModelContext

        context = ModelContext(node, config, manifest, GenerateNameProvider(), None).to_dict()  # type: ignore[no-untyped-call]  # dbt's own
    except (ImportError, AttributeError, TypeError) as error:
        _logger.debug(f"analyze: {node.original_file_path} is not rendered, since {_OTHER_DBT}: {error}")
        raise UnreadSqlError(_OTHER_DBT) from error
    return context, get_rendered


def doubt(node: Any, manifest: Any) -> str:
    """Why the node's SQL may be another when it runs; empty where there is no reason.

    It may where its Jinja, or a macro of its package, asks Spark or the graph for something. Macros of other
    packages are trusted to do without.
    """
    if "execute" in _asks(node.raw_code):
        return _NEEDS_TO_RUN
    waiting, seen = [node], {""}
    while waiting:
        each = waiting.pop()
        if _asks(getattr(each, "macro_sql", "") or each.raw_code) & _ANSWERED_WHEN_RUN:
            return _NEEDS_TO_RUN
        macros = set(each.depends_on.macros) - seen
        seen |= macros
        found = (manifest.macros.get(unique_id) for unique_id in macros)
        waiting += [macro for macro in found if macro is not None and macro.package_name == node.package_name]
    return ""


@cache
def _asks(text: str) -> frozenset[str]:
    """The names that Jinja must be given, `adapter.get` for any such method of the adapter's."""
    try:
        tree = get_environment().parse(text)
    except TemplateError:
        return _ANSWERED_WHEN_RUN
    gets = any(
        isinstance(each.node, Name) and each.node.name == "adapter" and each.attr.startswith("get_")
        for each in tree.find_all(Getattr)
    )
    return frozenset(find_undeclared_variables(tree)) | ({_GET} if gets else set())


def _known(manifest: Any, unique_id: str) -> Any:
    return manifest.nodes.get(unique_id) or manifest.sources.get(unique_id)


def _referred(parents: Sequence[Any], names: Sequence[str], version: Mapping[str, Any], package: str) -> Any:
    """The parent that `ref(['package',] 'name', v=…)` means; dbt has checked that there is one."""
    wanted = next(iter(version.values()), None)
    found = [
        each
        for each in parents
        if each is not None and each.name == names[-1] and (len(names) == 1 or each.package_name == names[0])
    ]
    if wanted is not None:
        found = [each for each in found if str(getattr(each, "version", None)) == str(wanted)]
    else:
        # the node's own package comes first, and of a model's versions the latest
        found = [each for each in found if each.package_name == package] or found
        found = [each for each in found if getattr(each, "is_latest_version", False)] or found
    if not found:
        raise UnreadSqlError(f"it refers to {names[-1]!r} only when it runs")
    return found[0]


def _sourced(parents: Sequence[Any], names: Sequence[str]) -> Any:
    for each in parents:
        if each is not None and (getattr(each, "source_name", None), each.name) == tuple(names[-2:]):
            return each
    raise UnreadSqlError(f"it refers to {'.'.join(names)} only when it runs")
