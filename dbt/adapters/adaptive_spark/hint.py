"""What a SELECT's filters should do differently from their session, as the comment that says it after SELECT. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from dbt_common.exceptions import DbtValidationError

from dbt.adapters.adaptive_spark.conf_entry import as_text
from dbt.adapters.adaptive_spark.conf_specs import ConfSpec, conf_specs, nearest
from dbt.adapters.adaptive_spark.quoting import column, literal

ON = "ADAPTIVE_FILTER"
OFF = "NO_ADAPTIVE_FILTER"
ORDER = "FILTER_ORDER"


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
    if adaptive is False and (options or order):
        raise DbtValidationError(
            f"{OFF} leaves the filters to Spark: options and an order have no effect beside it. Keep one."
        )
    hints = [OFF] if adaptive is False else []
    if adaptive or options:
        hints.append(_call(ON, [_option(name, value) for name, value in (options or {}).items()]))
    if order:
        hints.append(_call(ORDER, [_column(name) for name in _listed(order)]))
    return f"/*+ {', '.join(hints)} */" if hints else ""


def _call(hint: str, arguments: Sequence[str]) -> str:
    return f"{hint}({', '.join(arguments)})" if arguments else hint


def _option(name: str, value: Any) -> str:
    specs: dict[str, ConfSpec] = {
        spec.hint_option: spec for spec in conf_specs() if spec.hint_option is not None
    }
    spec = specs.get(name)
    if spec is None:
        raise DbtValidationError(f"{ON}: {name!r} is not an option. {nearest(str(name), [*specs])}")
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


def _column(name: Any) -> str:
    if not isinstance(name, str):
        raise DbtValidationError(f"{ORDER}: {name!r} is not a column's name. Write it as 'a' or 't.a'.")
    try:
        return column(name)
    except ValueError as fault:
        raise DbtValidationError(
            f"{ORDER}: {name!r} is not a column's name: {fault}. Write it as 'a' or 't.a'."
        ) from None
