"""Puts a hint into a model's SQL where its author would have written it. Pure."""

from __future__ import annotations

from dbt_common.exceptions import DbtValidationError
from sqlglot import TokenType, errors, tokenize

_OPEN, _CLOSE = TokenType.L_PAREN, TokenType.R_PAREN


def with_hint(sql: str, hint: str, model: str) -> str:
    """`sql` with the hint after each SELECT of its outermost level: one, or those of a UNION.

    Raises DbtValidationError where there is none.
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
    if not ends:
        raise DbtValidationError(
            f"filter_order: {model} has no SELECT outside of parentheses. Write {hint} after the one that is meant."
        )
    parts = [sql[start:end] for start, end in zip([0, *ends], [*ends, len(sql)], strict=True)]
    return f" {hint}".join(parts)
