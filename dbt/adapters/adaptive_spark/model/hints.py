"""Hints for a SELECT whose filters should differ from their session's, and their place in the SQL. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from dbt_common.exceptions import DbtValidationError
from sqlglot import TokenType, errors, tokenize

from dbt.adapters.adaptive_spark.conf.conf_entry import as_text, from_text
from dbt.adapters.adaptive_spark.conf.conf_keys import ConfSpec, conf_specs, nearest
from dbt.adapters.adaptive_spark.conf.quoting import literal, qualified

ON = "ADAPTIVE_FILTER"
OFF = "NO_ADAPTIVE_FILTER"
ORDER = "FILTER_ORDER"
DYNAMIC = "DYNAMIC_FILTER"
NO_DYNAMIC = "NO_DYNAMIC_FILTER"
_NAME_OFF = re.compile(rf"\b{OFF}\b", re.IGNORECASE)
_CALL_ORDER = re.compile(rf"\b{ORDER}\b(?:\s*\([^)]*\))?", re.IGNORECASE)
_OPEN, _CLOSE = TokenType.L_PAREN, TokenType.R_PAREN


def to_hint(
    adaptive: bool | None = None,
    options: Mapping[str, Any] | None = None,
    order: Sequence[str] = (),
) -> str:
    """`/*+ … */` to stand right after SELECT; empty where nothing is asked for.

    `adaptive` turns the SELECT's filters on or off whatever the session says, None leaves that to the session unless
    there are `options`, such as `{"momentum": 0.5}`, which turn them on. `order` names columns, `a` or `t.a`, whose
    conjuncts come first before anything is measured.

    Raises DbtValidationError with a sentence that names the hint, the value and the remedy.
    """
    given, adaptive = adaptive, from_text(adaptive)
    if adaptive is not None and not isinstance(adaptive, bool):
        raise DbtValidationError(
            f"{ON}: adaptive: {given!r} is neither true, false nor none. Leave it out for the session's."
        )
    if adaptive is False and (options or order):
        raise DbtValidationError(
            f"{OFF} leaves the filters to Spark: options and an order have no effect beside it. Keep one."
        )
    hints = [OFF] if adaptive is False else []
    if adaptive or options:
        hints.append(_call(ON, [_option(name, value) for name, value in (options or {}).items()]))
    if order:
        hints.append(_call(ORDER, [_name(ORDER, name, "column") for name in _listed(order)]))
    return f"/*+ {', '.join(hints)} */" if hints else ""


def to_adaptive_filter_hint(given: Sequence[Any], named: Mapping[str, Any]) -> str:
    """The hint of a macro's arguments: `adaptive` first or by its name, options by theirs.

    Raises DbtValidationError where there are none, or what `to_hint` raises.
    """
    options = dict(named)
    positional = [*given, *([options.pop("adaptive")] if "adaptive" in options else [])]
    if len(positional) > 1:
        raise DbtValidationError(
            f"{ON}: {positional[1]!r} is one argument too many. Write options by name, as momentum=0.5."
        )
    if not positional and not options:
        raise DbtValidationError(
            f"{ON}: adaptive_filter_hint() says nothing. Write adaptive_filter_hint(true), "
            "adaptive_filter_hint(false) or an option, as adaptive_filter_hint(momentum=0.5)."
        )
    return to_hint(positional[0] if positional else None, options)


def to_order_hint(order: Sequence[Any]) -> str:
    """The hint that puts the conjuncts on these columns first.

    Raises DbtValidationError where there are none, or what `to_hint` raises.
    """
    if not order:
        raise DbtValidationError(f"{ORDER} names no column. Write it as filter_order_hint('a', 't.b').")
    return to_hint(order=order)


def to_dynamic_filter_hint(on: Sequence[str] | str = (), off: Sequence[str] | str = ()) -> str:
    """`/*+ … */` to stand right after SELECT.

    `on` and `off` name relations of its FROM, by their alias where they have one, that its joins shall and shall not
    filter whatever the session and the sizes say; at least one of them does.

    Raises DbtValidationError with a sentence that names the hint, the value and the remedy.
    """
    hints = {DYNAMIC: _one_or_more(on), NO_DYNAMIC: _one_or_more(off)}
    calls = [
        _call(hint, [_name(hint, name, "relation") for name in names])
        for hint, names in hints.items()
        if names
    ]
    twice = set(hints[DYNAMIC]) & set(hints[NO_DYNAMIC])
    if twice:
        raise DbtValidationError(
            f"{DYNAMIC} and {NO_DYNAMIC} contradict each other over {min(twice)!r}. Keep one."
        )
    if not calls:
        raise DbtValidationError(
            f"{DYNAMIC} names no relation. Write it as dynamic_filter_hint(on='a'); "
            f"for all relations of the FROM, write /*+ {DYNAMIC} */ after SELECT."
        )
    return f"/*+ {', '.join(calls)} */"


def _one_or_more(names: Any) -> Sequence[Any]:
    return names if isinstance(names, list | tuple) else [names]


def _call(hint: str, arguments: Sequence[str]) -> str:
    return f"{hint}({', '.join(arguments)})" if arguments else hint


def _option(name: str, value: Any) -> str:
    specs: dict[str, ConfSpec] = {
        spec.hint_option: spec for spec in conf_specs() if spec.hint_option is not None
    }
    spec = specs.get(name)
    if spec is None:
        raise DbtValidationError(f"{ON}: {name!r} is not an option. {nearest(name, [*specs])}")
    fault = spec.fault(value)
    if fault is not None:
        raise DbtValidationError(
            f"{ON}: {name}: {value!r} {fault}. "
            f"Leave it out for the session's value; the default is {as_text(spec.default)}."
        )
    return literal(f"{name}={as_text(value)}")


def _listed(order: Sequence[str]) -> Sequence[str]:
    if isinstance(order, str):
        raise DbtValidationError(f"{ORDER}: {order!r} is not a list of columns. Write it as [{order!r}].")
    return order


def _name(hint: str, name: Any, what: str) -> str:
    if not isinstance(name, str):
        raise DbtValidationError(f"{hint}: {name!r} is not a {what}'s name. Write it as 'a' or 't.a'.")
    try:
        return qualified(name)
    except ValueError as fault:
        raise DbtValidationError(
            f"{hint}: {name!r} is not a {what}'s name: {fault}. Write it as 'a' or 't.a'."
        ) from None


def with_hint(sql: str, hint: str, model: str) -> str:
    """`sql` with the hint of `filter_order` after each SELECT of its outermost level: one, or those of a UNION.

    Raises DbtValidationError where there is none, or where one has a hint that contradicts it.
    """
    try:
        tokens = tokenize(sql, read="spark")
    except errors.TokenError as error:
        raise DbtValidationError(
            f"filter_order: the SQL of {model} is not understood. Write {hint} into it."
        ) from error
    ends, depth = [], 0
    for token in tokens:
        depth += (token.token_type == _OPEN) - (token.token_type == _CLOSE)
        if depth == 0 and token.token_type == TokenType.SELECT:
            ends.append(token.end + 1)
        elif depth == 0 and token.token_type == TokenType.HINT:
            _refuse_beside(token.text, hint, model)
    if not ends:
        raise DbtValidationError(
            f"filter_order: {model} has no SELECT outside of parentheses. Write {hint} after the one that is meant."
        )
    parts = [sql[start:end] for start, end in zip([0, *ends], [*ends, len(sql)], strict=True)]
    return f" {hint}".join(parts)


def _refuse_beside(written: str, hint: str, model: str) -> None:
    """Raises DbtValidationError for a hint that contradicts `filter_order`.

    Spark would call that a hint, which nobody has written.
    """
    if _NAME_OFF.search(written):
        raise DbtValidationError(
            f"filter_order: the hint {OFF} in {model} leaves the filters to Spark, and the order has no effect. Keep one."
        )
    order = _CALL_ORDER.search(written)
    if order is not None and _columns(order[0]) != _columns(hint):
        raise DbtValidationError(
            f"filter_order and the hint {order[0]} in {model} contradict each other. Keep one."
        )


def _columns(hint: str) -> str:
    """Names in a hint's parentheses, without quotes and blanks."""
    return "".join(hint.partition("(")[2].partition(")")[0].replace("`", "").split())
